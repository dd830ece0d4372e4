import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import type { ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { toolsetNames } from '../../../tools/toolsets.ts'
import type { ToolViewOptions } from '../../../tools/catalogue/visible-tools.ts'
import { listToolsOfView } from '../../support/bridge/tool-views.ts'

/**
 * What clients see of the committed document, a file for each view, so that a change of it is read like any other
 * change. The file `every-tool` has all tools in full; that of another view has the names of its tools, and those in
 * full that it shows in another way. `UPDATE_GOLDEN=1` writes the files.
 */
const folder = new URL('golden/', import.meta.url)
const catalogue = readCommittedCatalogue()

type Era = 'session' | 'modern'

/** Lists the tools of a view as it shows them, each with the schema of its answer. */
function listShownTools(view: Partial<ToolViewOptions>, era: Era = 'session'): ToolEntry[] {
  const full = new Map(listToolsOfView(catalogue, { ...view, fullSchemas: true }, era).map((tool) => [tool.name, tool]))
  return listToolsOfView(catalogue, view, era).map((tool) => ({ ...full.get(tool.name), ...tool }))
}

const everyTool = listShownTools({ readTools: true })
const textOfEveryTool = new Map(everyTool.map((tool) => [tool.name, JSON.stringify(tool)]))

/** Compares the tools of a view with the list of every tool. */
const compareTools = (tools: readonly ToolEntry[]) => ({
  names: tools.map(({ name }) => name),
  shownInAnotherWay: tools.filter((tool) => textOfEveryTool.get(tool.name) !== JSON.stringify(tool)),
})

/** Creates the text of each file. */
function createSnapshots(): Map<string, string> {
  const snapshots = {
    'every-tool': everyTool,
    'every-tool.modern': compareTools(listShownTools({ readTools: true }, 'modern')),
    default: compareTools(listShownTools({})),
    readonly: compareTools(listShownTools({ readonly: true })),
    ...Object.fromEntries(
      toolsetNames.map((name) => [name, compareTools(listShownTools({ toolsets: [name], readTools: true }))]),
    ),
  }
  return new Map(
    Object.entries(snapshots).map(([name, value]) => [`${name}.json`, `${JSON.stringify(value, null, 2)}\n`]),
  )
}

function writeGolden(snapshots: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [name, text] of snapshots) writeFileSync(new URL(name, folder), text)
}

describe('tools: golden files', () => {
  const snapshots = createSnapshots()
  before(() => {
    if (process.env['UPDATE_GOLDEN'] === '1') writeGolden(snapshots)
  })

  it('are one for every view of the committed document, and no other', () => {
    expect(readdirSync(folder).sort()).to.deep.equal([...snapshots.keys()].sort())
  })

  it('equal what the bridge shows', () => {
    for (const [name, text] of snapshots) expect(text, name).to.equal(readFileSync(new URL(name, folder), 'utf8'))
  })
})
