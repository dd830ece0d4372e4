import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { dataIntegrityMusts } from './data-integrity.ts'
import { dataModelMusts } from './data-model.ts'
import { joseCoseMusts } from './jose-cose.ts'
import type { Requirement } from './list.ts'
import { statusListMusts } from './status-list.ts'

const lists = { dataModelMusts, dataIntegrityMusts, joseCoseMusts, statusListMusts }
const all: Requirement[] = Object.values(lists).flat()

const lineOf = ({ spec, section, who, says, test, notOurs }: Requirement) =>
  `${spec}, ${section} (${who}): ${says}. ${test ?? `Not ours: ${notOurs ?? ''}`}`

/** Reads the test files of the area, whichever room they are in, and of the door. @returns their texts by their names */
async function readTestFiles(): Promise<Map<string, string>> {
  const folders = ['..', '../../../door'].map((path) => join(import.meta.dirname, path))
  const listed = await Promise.all(
    folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((path) => join(folder, path))),
  )
  const paths = listed.flat().filter((path) => path.endsWith('.test.ts'))
  return new Map(await Promise.all(paths.map(async (path) => [basename(path), await readFile(path, 'utf8')] as const)))
}

describe('W3C requirements: the list with a test or a reason for each', () => {
  it('names for each statement a test that is there, or says why it is not ours', async () => {
    const files = await readTestFiles()
    const missing = all.filter(({ test, notOurs }) => {
      if (test === undefined) return (notOurs ?? '').length < 20
      const at = test.indexOf(': ')
      return !files.get(test.slice(0, at))?.includes(`it('${test.slice(at + 2)}'`)
    })
    expect(
      missing.map(({ spec, section, says, test }) => `${spec} ${section} "${says}": ${test ?? 'no reason'}`),
    ).to.deep.equal([])
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
    console.log(
      figures
        .map(({ name, shown, reasons }) => `      ${name}: ${shown} with a test, ${reasons} with a reason`)
        .join('\n'),
    )
    if (process.env['MUSTS']) console.log(all.map(lineOf).join('\n'))
    for (const { name, shown } of figures) expect(shown, name).to.be.above(0)
  })
})
