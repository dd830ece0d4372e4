import type { OrganizationCaller } from '../../kernel/caller.ts'
import { invalid, type Violation } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { importedNetwork, prepareImport } from '../dpp/index.ts'
import { openSource } from './formats.ts'
import { notesOf } from './imports.notes.ts'
import { rowsOf } from './imports.rows.ts'
import { InitError, type SourceRow } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import { findMapper } from './mappers.ts'
import { compileMapper } from './mapping.ts'
import { judgeRows } from './mapping.rules.ts'
import { previewed, type Preview, type PreviewRequest } from './preview.schema.ts'
import { delimiterNamed, dialectOf } from './staging.detect.ts'

interface Tried { format: 'json' | 'csv'; rows: readonly MapperRow[]; application: string; delimiter: string | null }

/**
 * What a mapper would make of a sample, judged as an import judges it, but for doubles: whether a reference is there
 * already is told by a dry run. Nothing is stored. @throws VALIDATION_FAILED, NOT_FOUND
 */
export async function preview(work: Work, caller: OrganizationCaller, body: PreviewRequest): Promise<Preview> {
  const wrong = contradictions(body)
  if (wrong.length > 0) throw invalid(wrong.slice(0, 100))
  const tried = await triedMapper(work, body)
  const application = await findApplication(work, tried.application)
  const { columns, rows, notes } = await sampled(tried, body.sample)
  const { context } = work
  const { organization } = caller
  const options = { organization, application: application.id, network: importedNetwork(context) }
  const judged = await prepareImport(context, options, rows)
  return {
    ...(columns && { columns }),
    rows: rows.map(({ line, body: passport }, at) => ({
      line, passport: passport as Record<string, unknown> | null, errors: [...judged[at]?.errors ?? []],
    })),
    ...notes,
  }
}

function contradictions({ mapper, mapperId, application }: PreviewRequest): Violation[] {
  if ((mapper === undefined) === (mapperId === undefined)) {
    return [{ path: 'mapper', code: 'required', message: 'or mapperId is required, and not both' }]
  }
  if (!mapper) return []
  const wrong = judgeRows(mapper.rows, mapper.format).map((one) => ({ ...one, path: `mapper.${one.path}` }))
  if (application !== undefined || mapper.application !== undefined) return wrong
  return [...wrong, { path: 'application', code: 'required', message: 'is required, here or in the mapper' }]
}

async function triedMapper(work: Work, { mapper, mapperId, application }: PreviewRequest): Promise<Tried> {
  const { format, rows, application: own, delimiter = null } = mapper ?? await findMapper(work, mapperId ?? '')
  return { format, rows, application: application ?? own ?? '', delimiter }
}

/** The rows of a sample after the mapper. @throws VALIDATION_FAILED for a sample that no file could begin with */
async function sampled({ format, rows, delimiter }: Tried, sample: PreviewRequest['sample']) {
  if ((format === 'csv') !== (typeof sample === 'string')) {
    const wanted = format === 'csv' ? 'text, as the mapper reads CSV' : 'a list, as the mapper reads JSON'
    throw invalid([{ path: 'sample', code: 'type', message: `has to be ${wanted}` }])
  }
  try {
    const { columns, found } = typeof sample === 'string' ? await csvRows(sample, delimiter) : itemRows(sample)
    const map = compileMapper(rows, columns ? { format: 'csv', columns } : { format: 'json' })
    return { columns, rows: [...rowsOf({ rows: found }, map)], notes: notesOf({ encoding: 'utf-8' }, { columns }, rows) }
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    throw invalid([{ path: 'sample', code: cause.code.toLowerCase(), message: `cannot be imported: ${cause.message}` }])
  }
}

interface Sampled { columns: string[] | null; found: SourceRow[] }

const itemRows = (sample: readonly unknown[]): Sampled =>
  ({ columns: null, found: sample.map((value, line) => ({ line, value, fault: null })) })

/** The first rows of a text, read as a file is. @param delimiter as a mapper names it; else it is found out */
async function csvRows(text: string, delimiter: string | null): Promise<Sampled> {
  const bytes = Buffer.from(text)
  const pieces = async function* () { yield bytes }
  const source = await openSource(pieces, dialectOf(bytes, { format: 'csv', delimiter: delimiterNamed(delimiter) }, true), null)
  for await (const { rows } of source.batches(previewed)) return { columns: source.columns, found: rows }
  return { columns: source.columns, found: [] }
}
