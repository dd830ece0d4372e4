import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { openSource } from '../formats/index.ts'
import { collectFileNotes } from '../intake/index.ts'
import { compileMapper, mapRows, validateMapperRows } from '../mapping/index.ts'
import { authorizeRecords, InitError, type MapperRow, parseDelimiter, type SourceRow } from '../records/index.ts'
import { findMapper } from './mappers.ts'
import { maxPreviewRows, type Preview, type PreviewRequest, type PreviewRow } from './preview.schema.ts'
import { detectDialect } from '../staging/index.ts'

interface PreviewedMapper {
  format: 'json' | 'csv'
  rows: readonly MapperRow[]
  application: string
  delimiter: string | null
  sink: RecordSink
}

/**
 * Previews what a mapper would make of a sample, validated as an import validates rows, except for duplicates: only a
 * dry run checks whether a reference exists already. Nothing is stored.
 * @throws VALIDATION_FAILED, NOT_FOUND
 */
export async function previewMapper(work: Work, caller: OrganizationCaller, body: PreviewRequest): Promise<Preview> {
  const wrong = validatePreviewRequest(body)
  if (wrong.length > 0) throw createValidationProblem(wrong.slice(0, 100))
  const chosenMapper = await readPreviewedMapper(work, body)
  const { sink } = chosenMapper
  authorizeRecords(caller, sink, 'read')
  const application = await readApplication(work, chosenMapper.application)
  const { columns, rows, notes } = await readSample(chosenMapper, body.sample)
  const { context } = work
  const { organization } = caller
  const network = await sink.findDefaultNetwork(context, organization)
  const options = { organization, application: application.id, network }
  const prepared = await sink.validate(context, options, rows)
  return {
    ...(columns && { columns }),
    rows: rows.map(({ line, body }, at) => ({
      line,
      ...presentBody(sink, body as Record<string, unknown> | null),
      errors: [...(prepared[at]?.errors ?? [])],
    })),
    ...notes,
  }
}

/** Presents the body of a row: passports have had a member of their own from the beginning. */
const presentBody = (
  sink: RecordSink,
  body: Record<string, unknown> | null,
): Pick<PreviewRow, 'passport' | 'record'> =>
  sink === getRecordSink() ? { passport: body } : { passport: null, ...(body && { record: body }) }

function validatePreviewRequest({ mapper, mapperId, application }: PreviewRequest): Issue[] {
  if ((mapper === undefined) === (mapperId === undefined)) {
    return [{ path: 'mapper', code: 'required', message: 'or mapperId is required, and not both' }]
  }
  if (!mapper) return []
  const wrong = validateMapperRows(mapper.rows, mapper.format, getRecordSink(mapper.entityName)).map((one) => ({
    ...one,
    path: `mapper.${one.path}`,
  }))
  if (application !== undefined || mapper.application !== undefined) return wrong
  return [...wrong, { path: 'application', code: 'required', message: 'is required, here or in the mapper' }]
}

async function readPreviewedMapper(
  work: Work,
  { mapper, mapperId, application }: PreviewRequest,
): Promise<PreviewedMapper> {
  const chosen = mapper ?? (await findMapper(work, mapperId ?? '', 'read'))
  const { format, rows, application: own, delimiter = null } = chosen
  return { format, rows, application: application ?? own ?? '', delimiter, sink: getRecordSink(chosen.entityName) }
}

/** Reads the rows of a sample through the mapper. @throws VALIDATION_FAILED if no file could begin with the sample */
async function readSample({ format, rows, delimiter, sink }: PreviewedMapper, sample: PreviewRequest['sample']) {
  if ((format === 'csv') !== (typeof sample === 'string')) {
    const wanted = format === 'csv' ? 'text, as the mapper reads CSV' : 'a list, as the mapper reads JSON'
    throw createValidationProblem([{ path: 'sample', code: 'type', message: `has to be ${wanted}` }])
  }
  try {
    const { columns, rows: found } =
      typeof sample === 'string' ? await readCsvSample(sample, delimiter) : toItemRows(sample)
    const map = compileMapper(rows, columns ? { format: 'csv', columns } : { format: 'json' }, sink)
    return {
      columns,
      rows: [...mapRows({ rows: found }, map)],
      notes: collectFileNotes({ encoding: 'utf-8' }, { columns }, rows, sink),
    }
  } catch (cause) {
    if (!(cause instanceof InitError)) throw cause
    throw createValidationProblem([
      { path: 'sample', code: cause.code.toLowerCase(), message: `cannot be imported: ${cause.message}` },
    ])
  }
}

interface SampleRows {
  columns: string[] | null
  rows: SourceRow[]
}

const toItemRows = (sample: readonly unknown[]): SampleRows => ({
  columns: null,
  rows: sample.map((value, line) => ({ line, value, issue: null })),
})

/**
 * Reads the first rows of a text in the way a file is read.
 * @param delimiter as a mapper names it; if null, it is detected
 */
async function readCsvSample(text: string, delimiter: string | null): Promise<SampleRows> {
  const bytes = Buffer.from(text)
  const pieces = async function* () {
    yield bytes
  }
  const source = await openSource(
    pieces,
    detectDialect(bytes, { format: 'csv', delimiter: parseDelimiter(delimiter) }, true),
    null,
  )
  for await (const { rows } of source.batches(maxPreviewRows)) return { columns: source.columns, rows: rows }
  return { columns: source.columns, rows: [] }
}
