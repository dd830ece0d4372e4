import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { getPromptEntries } from '../../bridge/api/prompts.ts'
import { prepareDemoEnvironment } from '../../prompts/prepare-demo-environment.ts'
import { readCommittedCatalogue } from '../support/bridge/committed-catalogue.ts'

/**
 * Every prompt as it is listed, and one plan as it is written for the committed document. `UPDATE_GOLDEN=1` writes the
 * files.
 */
const folder = new URL('golden/', import.meta.url)
const args = { scenario: 'full', size: '2', runId: 'golden' }

function shown(): Map<string, string> {
  const { messages } = prepareDemoEnvironment.createResult(args, readCommittedCatalogue())
  const listed = getPromptEntries(readCommittedCatalogue()).map(
    (entry) => [`${entry.name}.json`, `${JSON.stringify(entry, null, 2)}\n`] as const,
  )
  return new Map([...listed, ['prepare_demo_environment.full.md', `${messages[0]?.content.text}\n`]])
}

describe('prompts: golden files', () => {
  it('equal what the bridge shows, and are no others', () => {
    const files = shown()
    if (process.env['UPDATE_GOLDEN'] === '1') {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      for (const [name, text] of files) writeFileSync(new URL(name, folder), text)
    }
    expect(readdirSync(folder).sort()).to.deep.equal([...files.keys()].sort())
    for (const [name, text] of files) expect(readFileSync(new URL(name, folder), 'utf8'), name).to.equal(text)
  })
})
