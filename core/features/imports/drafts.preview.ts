import { importedNetwork, prepareImport, type ImportRow } from '../dpp/index.ts'
import type { Context } from '../../kernel/work.ts'
import { rowsOf } from './imports.rows.ts'
import type { RowError } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import { compileMapper } from './mapping.ts'
import { previewed } from './preview.schema.ts'
import type { Draft } from './drafts.ts'
import { peek, type Peek } from './peek.ts'

/** A row of a file as it would be imported. */
export interface PreviewRow {
  line: number
  /** The body of its passport, also of a wrong one; null where the row cannot be read. */
  passport: unknown
  errors: readonly RowError[]
}

/**
 * What the first rows of a draft would make, judged as the import judges them; nothing is stored.
 * @param rows of its mapper; null for passports as they are. @throws InitError for a mapper that names columns that are
 * not there, or a file that cannot be read
 */
export async function previewDraft(
  context: Context, organization: string, draft: Draft & { application: string }, rows: readonly MapperRow[] | null,
): Promise<PreviewRow[]> {
  const found = await peek(context.db, draft, previewed)
  const made = mapped(found, rows)
  const options = { organization, application: draft.application, network: importedNetwork(context) }
  const judged = await prepareImport(context, options, made)
  return made.map(({ line, body }, at) => ({ line, passport: body, errors: judged[at]?.errors ?? [] }))
}

const mapped = ({ rows: found, shape }: Peek, rows: readonly MapperRow[] | null): ImportRow[] =>
  [...rowsOf({ rows: found }, rows && compileMapper(rows, shape))]
