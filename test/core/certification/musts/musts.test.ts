import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { dataIntegrityMusts } from './data-integrity.ts'
import { dataModelMusts } from './data-model.ts'
import { joseCoseMusts } from './jose-cose.ts'
import type { Must } from './list.ts'
import { statusListMusts } from './status-list.ts'

const lists = { dataModelMusts, dataIntegrityMusts, joseCoseMusts, statusListMusts }
const all: Must[] = Object.values(lists).flat()

const lineOf = ({ spec, section, who, says, test, notOurs }: Must) =>
  `${spec}, ${section} (${who}): ${says}. ${test ?? `Not ours: ${notOurs ?? ''}`}`

/** Text of the test files that are named, by their name. */
async function filesOf(musts: readonly Must[]): Promise<Map<string, string>> {
  const names = new Set(musts.flatMap(({ test }) => (test === undefined ? [] : [test.slice(0, test.indexOf(':'))])))
  const read = async (name: string) => [name, await readFile(new URL(`../${name}`, import.meta.url), 'utf8').catch(() => '')] as const
  return new Map(await Promise.all([...names].map(read)))
}

describe('The list of what the specifications of W3C demand of issuers and verifiers', () => {
  it('names for each statement a test that is there, or says why it is not ours', async () => {
    const files = await filesOf(all)
    const missing = all.filter(({ test, notOurs }) => {
      if (test === undefined) return (notOurs ?? '').length < 20
      const at = test.indexOf(': ')
      return !files.get(test.slice(0, at))?.includes(`it('${test.slice(at + 2)}'`)
    })
    expect(missing.map(({ spec, section, says, test }) => `${spec} ${section} "${says}": ${test ?? 'no reason'}`)).to.deep.equal([])
  })

  it('says each statement once, as a sentence, under a section', () => {
    for (const { section, says } of all) {
      expect(section, says).to.match(/^(\d{1,2}|[A-Z])(\.\d{1,2}){0,3}$/)
      expect(says).to.match(/^[A-Z`].{14,300}[^.]$/)
    }
    const spoken = all.map(({ spec, section, says }) => `${spec} ${section} ${says}`)
    expect(spoken.filter((one, at) => spoken.indexOf(one) !== at)).to.deep.equal([])
  })

  it('has all four lists', () => {
    const figures = Object.entries(lists).map(([name, musts]) => {
      const { length: shown } = musts.filter(({ test }) => test !== undefined)
      return { name, shown, reasons: musts.length - shown }
    })
    console.log(figures.map(({ name, shown, reasons }) => `      ${name}: ${shown} with a test, ${reasons} with a reason`).join('\n'))
    if (process.env['MUSTS']) console.log(all.map(lineOf).join('\n'))
    for (const { name, shown } of figures) expect(shown, name).to.be.above(0)
  })
})
