import type { Catalogue, ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import { getVisibleTools, type ToolViewOptions } from '../../../tools/catalogue/visible-tools.ts'

/** Creates a view with the default options and the given overrides. */
export const createView = (overrides: Partial<ToolViewOptions> = {}): ToolViewOptions => ({
  toolsets: null,
  readonly: false,
  readTools: false,
  fullSchemas: false,
  search: false,
  ...overrides,
  key: JSON.stringify(overrides),
})

/** Lists the tools of a view. */
export const listToolsOfView = (
  catalogue: Catalogue,
  part: Partial<ToolViewOptions> = {},
  era: 'session' | 'modern' = 'session',
): readonly ToolEntry[] => getVisibleTools(catalogue, createView(part), era).tools
