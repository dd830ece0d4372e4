import { LRUCache } from 'lru-cache'
import type { OwnTool } from '../own/own-tool.ts'
import { createSearchTools } from '../search/search-tools.ts'
import { toolsetNames } from '../toolsets.ts'
import type { Catalogue, Tool, ToolEntry } from './catalogue.ts'
import { removeRepeatedMembers } from './repeated-members.ts'

/** The options that define a view of the tools. */
export interface ToolViewOptions {
  readonly toolsets: readonly string[] | null
  readonly readonly: boolean
  readonly readTools: boolean
  readonly fullSchemas: boolean
  /** Only the tools that find, describe and call all others are listed. */
  readonly search: boolean
  /** A key that equal views share. */
  readonly key: string
}

/** The tools of a view in the order of their names. Exactly the listed tools can be called. */
export interface VisibleTools {
  readonly tools: readonly ToolEntry[]
  /** The listed tools that are the bridge's own, by name. */
  readonly ownTools: ReadonlyMap<string, OwnTool>
  has(name: string): boolean
}

type EraName = 'session' | 'modern'

/** The highest number of views that are kept per document. Other views are built again when they are requested. */
const maxKeptViews = 64

/** The operation that reads a job. Every toolset that can start jobs includes it. */
const jobOperationName = 'get_job'

const keptViews = new WeakMap<Catalogue, LRUCache<string, VisibleTools>>()

/**
 * Returns the tools of a view. Equal views get the same object while the view is among the last requested ones.
 * @param era in the session era, output that is not an object is under `result`; in the modern era it is not
 */
export function getVisibleTools(catalogue: Catalogue, view: ToolViewOptions, era: EraName): VisibleTools {
  let views = keptViews.get(catalogue)
  if (!views) keptViews.set(catalogue, (views = new LRUCache({ max: maxKeptViews })))
  const key = `${era} ${view.key}`
  const known = views.get(key)
  if (known) return known
  const visibleTools = view.search ? createSearchView(catalogue, view, era) : createVisibleTools(catalogue, view, era)
  views.set(key, visibleTools)
  return visibleTools
}

function createVisibleTools(catalogue: Catalogue, view: ToolViewOptions, era: EraName): VisibleTools {
  const jobToolsets = new Set<string | null>()
  for (const tool of catalogue.tools.values()) if (canStartJobs(tool)) jobToolsets.add(tool.operation.toolset)
  const inView = ({ operation: { hints, name, toolset } }: Tool) =>
    (!view.readonly || hints.readOnlyHint)
    && (view.toolsets?.some((one) => one === toolset || (name === jobOperationName && jobToolsets.has(one))) ?? true)
  const own = [...catalogue.ownTools.values()].filter(({ entry }) => !view.readonly || entry.annotations.readOnlyHint)
  const operations = [...catalogue.tools.values(), ...(view.readTools ? catalogue.readTools.values() : [])].filter(
    inView,
  )
  const tools = [
    ...operations.map((tool) => createEntry(tool, view, era)),
    ...own.map(({ entry: { outputSchema, ...entry } }) =>
      view.fullSchemas ? addOutputSchema(entry, outputSchema) : entry,
    ),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = new Set(tools.map(({ name }) => name))
  return {
    tools: view.fullSchemas ? tools : removeRepeatedMembers(tools),
    ownTools: new Map(own.map((tool) => [tool.entry.name, tool])),
    has: (name) => names.has(name),
  }
}

/**
 * Returns the view of what can be called by `call_operation`: all that the view would list without the search, and
 * every read as a tool.
 */
export const getReachableView = <View extends ToolViewOptions>(view: View): View => ({
  ...view,
  search: false,
  readTools: true,
  key: `${view.key} reachable`,
})

const keptToolsets = new WeakMap<Catalogue, readonly string[]>()

/** Lists the toolsets that have a tool, for writing or for reading, in a document. */
export function listPresentToolsets(catalogue: Catalogue): readonly string[] {
  let present = keptToolsets.get(catalogue)
  if (!present) {
    const tools = [...catalogue.tools.values(), ...catalogue.readTools.values()]
    present = toolsetNames.filter((name) => tools.some(({ operation }) => operation.toolset === name))
    keptToolsets.set(catalogue, present)
  }
  return present
}

/** Creates the search view's tools. */
function createSearchView(catalogue: Catalogue, view: ToolViewOptions, era: EraName): VisibleTools {
  const reachable = getVisibleTools(catalogue, getReachableView(view), era)
  const byName = new Map(reachable.tools.map((entry) => [entry.name, entry]))
  const own = createSearchTools(catalogue, view, byName)
  const ownTools = new Map(own.map((tool) => [tool.entry.name, tool]))
  return { tools: own.map(({ entry }) => entry), ownTools, has: (name) => ownTools.has(name) }
}

const canStartJobs = ({ operation }: Tool) => operation.successes.some(({ status }) => status === '202')

/** Creates the entry of a tool. With full schemas, it has the schemas that validate calls and those of the answers. */
function createEntry({ entry, plan, outputSchemas }: Tool, { fullSchemas }: ToolViewOptions, era: EraName): ToolEntry {
  return fullSchemas ? addOutputSchema({ ...entry, inputSchema: plan.inputSchema }, outputSchemas?.[era]) : entry
}

function addOutputSchema({ annotations, ...entry }: ToolEntry, outputSchema: ToolEntry['outputSchema']): ToolEntry {
  return { ...entry, ...(outputSchema && { outputSchema }), annotations }
}
