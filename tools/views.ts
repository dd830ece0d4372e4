import type { Catalogue, Tool, ToolEntry } from './catalogue.ts'
import { besideTheirTwins } from './twins.ts'

/** What a view is made of. */
export interface Shown {
  readonly toolsets: readonly string[] | null
  readonly readonly: boolean
  readonly readTools: boolean
  readonly fullSchemas: boolean
  /** The same for equal views. */
  readonly key: string
}

/** The tools of a view, in the order of their names: those that are listed are those that can be called. */
export interface ShownCatalogue {
  readonly tools: readonly ToolEntry[]
  has(name: string): boolean
}

type Era = 'session' | 'modern'

/** Views of a document that are kept, since each holds its tools; one that is asked for later is made again. */
const mostKept = 64

/** The operation that reads a job, which each area that starts jobs needs. */
const jobOperation = 'get_job'

const kept = new WeakMap<Catalogue, Map<string, ShownCatalogue>>()

/**
 * What a view shows: the same object for equal views while it is among those that were asked for last.
 * @param era an output that is no object stands under `result` in the session era, as it is in the modern one
 */
export function shownIn(catalogue: Catalogue, view: Shown, era: Era): ShownCatalogue {
  let views = kept.get(catalogue)
  if (!views) kept.set(catalogue, (views = new Map()))
  const key = `${era} ${view.key}`
  const shown = views.get(key) ?? show(catalogue, view, era)
  // Put at the end, so that the first is what was asked for the longest ago.
  views.delete(key)
  views.set(key, shown)
  if (views.size > mostKept) views.delete(views.keys().next().value as string)
  return shown
}

function show(catalogue: Catalogue, view: Shown, era: Era): ShownCatalogue {
  const starting = new Set<string | null>()
  for (const tool of catalogue.tools.values()) if (startsJobs(tool)) starting.add(tool.operation.toolset)
  const inView = ({ operation: { hints, name, toolset } }: Tool) =>
    (!view.readonly || hints.readOnlyHint)
    && (view.toolsets?.some((one) => one === toolset || (name === jobOperation && starting.has(one))) ?? true)
  const own = [...catalogue.own.values()].filter(({ entry }) => !view.readonly || entry.annotations.readOnlyHint)
  const operations = [...catalogue.tools.values(), ...(view.readTools ? catalogue.reads.values() : [])].filter(inView)
  const tools = [
    ...operations.map((tool) => entryOf(tool, view, era)),
    ...own.map(({ entry: { outputSchema, ...entry } }) => (view.fullSchemas ? withOutput(entry, outputSchema) : entry)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = new Set(tools.map(({ name }) => name))
  return { tools: view.fullSchemas ? tools : besideTheirTwins(tools), has: (name) => names.has(name) }
}

const startsJobs = ({ operation }: Tool) => operation.successes.some(({ status }) => status === '202')

/** Full schemas are those that calls are judged by, with those of their answers. */
function entryOf({ entry, plan, outputs }: Tool, { fullSchemas }: Shown, era: Era): ToolEntry {
  return fullSchemas ? withOutput({ ...entry, inputSchema: plan.inputSchema }, outputs?.[era]) : entry
}

function withOutput({ annotations, ...entry }: ToolEntry, outputSchema: ToolEntry['outputSchema']): ToolEntry {
  return { ...entry, ...(outputSchema && { outputSchema }), annotations }
}
