import type { Catalogue, ToolEntry } from '../../tools/catalogue.ts'
import { shownIn, type Shown } from '../../tools/views.ts'

/** A view that differs from the default in what is named. */
export const viewWith = (part: Partial<Shown> = {}): Shown => ({
  toolsets: null,
  readonly: false,
  readTools: false,
  fullSchemas: false,
  ...part,
  key: JSON.stringify(part),
})

/** The list of tools of a view. */
export const toolsIn = (
  catalogue: Catalogue,
  part: Partial<Shown> = {},
  era: 'session' | 'modern' = 'session',
): readonly ToolEntry[] => shownIn(catalogue, viewWith(part), era).tools
