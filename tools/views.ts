import type { Catalogue, ToolEntry } from './catalogue.ts'

/** What a view is made of. */
export interface Shown {
  readonly toolsets: readonly string[] | null
  readonly readonly: boolean
  readonly readTools: boolean
  readonly fullSchemas: boolean
}

/** The tools of a view: those that are listed are those that can be called. */
export interface ShownCatalogue {
  readonly tools: readonly ToolEntry[]
  has(name: string): boolean
}

/** @param era an output that is no object stands under `result` in the session era, as it is in the modern one */
export function shownIn(catalogue: Catalogue, view: Shown, _era: 'session' | 'modern'): ShownCatalogue {
  const tools = view.fullSchemas ? catalogue.fullToolList : catalogue.toolList
  return { tools, has: (name) => catalogue.tools.has(name) || catalogue.own.has(name) }
}
