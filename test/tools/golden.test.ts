import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { readCatalogue, type ToolEntry } from '../../tools/catalogue.ts'
import { toolsIn } from '../support/views.ts'

/**
 * Every tool as it is shown for the committed document, one file each, so that a change of what assistants see is read
 * like any other change. `UPDATE_GOLDEN=1` writes the files.
 */
const folder = new URL('golden/', import.meta.url)
const documentFile = new URL('../../openapi.json', import.meta.url)
const update = process.env['UPDATE_GOLDEN'] === '1'

const fileOf = (name: string) => new URL(`${name}.json`, folder)
const textOf = (tool: ToolEntry) => `${JSON.stringify(tool, null, 2)}\n`

/** As they are listed, those that only read included, each with the schema of its answer. */
function shownTools(): readonly ToolEntry[] {
  const document: unknown = JSON.parse(readFileSync(documentFile, 'utf8'))
  const catalogue = readCatalogue(document, 'http://127.0.0.1:3333')
  const full = new Map(toolsIn(catalogue, { readTools: true, fullSchemas: true }).map((tool) => [tool.name, tool]))
  return toolsIn(catalogue, { readTools: true }).map((tool) => ({ ...full.get(tool.name), ...tool }))
}

function goldenNames(): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .map((file) => file.replace(/\.json$/, ''))
        .sort()
    : []
}

function writeGolden(tools: readonly ToolEntry[]): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const tool of tools) writeFileSync(fileOf(tool.name), textOf(tool))
}

describe('the golden files of tools', () => {
  it('are one for every tool of the committed document, and no other', () => {
    const tools = shownTools()
    if (update) writeGolden(tools)
    expect(goldenNames()).to.deep.equal(tools.map(({ name }) => name))
  })

  it('equal what the bridge shows', () => {
    for (const tool of shownTools().filter(({ name }) => existsSync(fileOf(name)))) {
      expect(readFileSync(fileOf(tool.name), 'utf8'), tool.name).to.equal(textOf(tool))
    }
  })
})
