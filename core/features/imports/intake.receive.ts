import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { permissionsOf, type OrganizationCaller } from '../../kernel/caller.ts'
import { grants } from '../../kernel/permission.ts'
import { invalid, notFound, problem, type Problem } from '../../kernel/problem.ts'
import type { Received, Upload, UploadedFile } from '../../kernel/upload.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { unusable } from '../dpp/index.ts'
import { countRows, hasColumns, openSource } from './formats.ts'
import type { DuplicatePolicy } from './imports.schema.ts'
import { notesOf } from './imports.notes.ts'
import { InitError, type FileNotes } from './imports.types.ts'
import { declaredFormat, shownName } from './intake.formats.ts'
import type { MapperRow } from './mappers.schema.ts'
import { delimiterNamed, type Format } from './staging.detect.ts'
import { stageWorkbook } from './staging.workbook.ts'
import { discardUpload, stagedPieces, stageStream, type Staged, type StageOptions } from './staging.ts'

/** What the query of an import says. */
export interface ImportQuery {
  application: string
  mapperId?: string
  network?: Network
  dryRun?: boolean
  onDuplicate?: DuplicatePolicy
  atomic?: boolean
  encoding?: string
  delimiter?: string
  sheet?: string
}

/** A file that was received, and the mapper as it was then. */
export interface ReceivedFile extends Received {
  file: Staged & { fileName: string | null }
  mapper: { id: string; rows: readonly MapperRow[] } | null
  notes: FileNotes
}

interface Receipt { context: Context; work: Work; caller: OrganizationCaller; query: ImportQuery; upload: Upload }

/**
 * Judges what an import was asked with, and only then takes its file and keeps it.
 * @throws RATE_LIMITED, AUTH_INSUFFICIENT_PERMISSIONS, NOT_FOUND, VALIDATION_FAILED, IMPORT_MAPPER_REQUIRED,
 * IMPORT_MAPPER_FORMAT_MISMATCH, UNSUPPORTED_MEDIA_TYPE, IMPORT_BODY_MISSING, IMPORT_TOO_LARGE, IMPORT_ROW_CAP_EXCEEDED,
 * IMPORT_ENCODING_INVALID, IMPORT_COLUMNS_MISSING, INVALID_JSON, INVALID_REQUEST
 */
export async function receiveFile({ context, work, caller, query, upload }: Receipt): Promise<ReceivedFile> {
  if (query.onDuplicate === 'update') demandUpdate(caller)
  await findApplication(work, query.application)
  const mapper = await findMapper(work, caller.organization, query)
  const { network } = query
  if (network !== undefined && !context.chains.usable(network)) throw invalid([unusable(network)])
  if (upload.type !== null) refuseMismatch(declaredFormat({ type: upload.type, name: null }), mapper)
  return inTurn(context.db, caller, () => take({ context, caller, query, upload }, mapper))
}

/**
 * Files that this process receives at a time, of one organization and of one of its keys or members: each holds up to 3 MiB
 * of memory, but a workbook some hundred, as it is read as a whole.
 */
const maxAtOnce = { organization: 8, caller: 6, workbooks: 2 }
const receiving = new Map<string, number>()

/** Bytes of files of one organization that may wait for their imports, all together. */
const mostWaiting = 4 * 1024 * 1024 * 1024

/** A small packed file can be a large one: what waits is limited, whoever sent it when. */
async function refusePastStore(db: Knex, organization: string): Promise<void> {
  const { rows: [waiting] } = await db.raw<{ rows: { bytes: number }[] }>(
    'select coalesce(sum(bytes), 0)::bigint as bytes from import_uploads where organization = ?', [organization])
  if ((waiting?.bytes ?? 0) < mostWaiting) return
  throw problem('RATE_LIMITED', 'Files of 4 GiB wait for their imports already. Wait until some have ended.', {
    headers: { 'Retry-After': '60' },
  })
}

/** Receives a file unless too many come already. @throws RATE_LIMITED where the caller or its organization sends, or keeps, too much */
export async function inTurn<T>(db: Knex, caller: OrganizationCaller, work: () => Promise<T>): Promise<T> {
  const { organization } = caller
  const own = caller.kind === 'key' ? `key ${caller.id}` : `member ${caller.user} ${organization}`
  refusePast(own, maxAtOnce.caller, 'You are')
  refusePast(organization, maxAtOnce.organization, 'Your organization is')
  for (const name of [own, organization]) receiving.set(name, (receiving.get(name) ?? 0) + 1)
  try {
    await refusePastStore(db, organization)
    return await work()
  } finally {
    for (const name of [own, organization]) countOut(name)
  }
}

function refusePast(name: string, max: number, who: string, what = 'files'): void {
  if ((receiving.get(name) ?? 0) < max) return
  throw problem('RATE_LIMITED', `${who} sending ${max} ${what} already. Wait for one of them.`, { headers: { 'Retry-After': '5' } })
}

function countOut(name: string): void {
  const left = (receiving.get(name) ?? 1) - 1
  if (left > 0) receiving.set(name, left)
  else receiving.delete(name)
}

async function take(
  { context, caller, query, upload }: Pick<Receipt, 'context' | 'caller' | 'query' | 'upload'>, mapper: FoundMapper | null,
): Promise<ReceivedFile> {
  const sent = await upload.file()
  if (!sent) throw problem('IMPORT_BODY_MISSING', 'The request has no file to import.', { path: 'body' })
  const format = declaredFormat(sent)
  refuseMismatch(format, mapper)
  const { organization } = caller
  const { delimiter, sheet } = query
  if (sheet !== undefined && format !== 'xlsx') throw problem('INVALID_REQUEST', 'Only a workbook has sheets.', { path: 'sheet' })
  const encoding = query.encoding ?? sent.charset ?? undefined
  if (delimiter !== undefined && format !== 'csv') throw problem('INVALID_REQUEST', 'Only CSV has a delimiter.', { path: 'delimiter' })
  const declared = { organization, format, encoding, delimiter: delimiterNamed(delimiter), sheet }
  const { staged, discard } = await keepFile(context, sent, declared).catch(told)
  const fileName = sent.name === null ? null : shownName(sent.name)
  const notes = await notesOfStaged(context.db, staged, mapper).catch(async (cause: unknown) => {
    await discard()
    return told(cause)
  })
  return { digest: staged.digest, discard, file: { ...staged, fileName }, mapper, notes }
}

/** What a header shows that makes an import pointless is an answer; what else is wrong with a file its job tells. */
const atOnce = ['IMPORT_COLUMNS_MISSING', 'IMPORT_ENCODING_INVALID']

/** @throws InitError IMPORT_COLUMNS_MISSING, IMPORT_ENCODING_INVALID */
async function notesOfStaged(db: Knex, { upload, dialect }: Staged, mapper: FoundMapper | null): Promise<FileNotes> {
  try {
    const source = hasColumns(dialect.format) ? await openSource(stagedPieces(db, upload), dialect, null) : { columns: null }
    return notesOf(dialect, source, mapper?.rows ?? null)
  } catch (cause) {
    if (!(cause instanceof InitError) || atOnce.includes(cause.code)) throw cause
    return { warnings: [], unusedColumns: [] }
  }
}

/** @throws RATE_LIMITED where the organization sends as many workbooks as are read at a time */
async function stageBook(context: Context, bytes: AsyncIterable<Buffer>, of: StageOptions): Promise<Staged> {
  const name = `workbooks of ${of.organization}`
  refusePast(name, maxAtOnce.workbooks, 'Your organization is', 'workbooks')
  receiving.set(name, (receiving.get(name) ?? 0) + 1)
  try {
    return await stageWorkbook(context, bytes, of)
  } finally {
    countOut(name)
  }
}

/**
 * Stages a file that was sent, and keeps it unless it has more rows than are taken.
 * @throws IMPORT_ROW_CAP_EXCEEDED, RATE_LIMITED, and InitError for its size and for what its beginning shows
 */
export async function keepFile(
  context: Context, { bytes }: Pick<UploadedFile, 'bytes'>, of: StageOptions,
): Promise<{ staged: Staged; discard: () => Promise<void> }> {
  const staged = of.format === 'xlsx' ? await stageBook(context, bytes, of) : await stageStream(context, bytes, of)
  const discard = () => discardUpload(context.db, staged.upload).catch((cause: unknown) =>
    context.log.warn({ err: cause, upload: staged.upload }, 'a received file waits for the upkeep'))
  await refusePastCap(context, staged).catch(async (cause: unknown) => {
    await discard()
    throw cause
  })
  return { staged, discard }
}

function demandUpdate(caller: OrganizationCaller): void {
  if (grants(permissionsOf(caller), 'dpp:update')) return
  throw problem('AUTH_INSUFFICIENT_PERMISSIONS', 'Updating passports that are there already needs the permission to update dpp.', {
    extra: { permission: { resource: 'dpp', action: 'update' } },
  })
}

type FoundMapper = { id: string; format: 'json' | 'csv'; rows: readonly MapperRow[] }

/** The mapper of this application. @throws NOT_FOUND for any other one */
async function findMapper(
  { trx }: Work, organization: string, { application, mapperId }: ImportQuery,
): Promise<FoundMapper | null> {
  if (mapperId === undefined) return null
  const row = await trx('import_mappers').where({ id: mapperId, organization, application })
    .first<FoundMapper | undefined>('id', 'format', 'rows')
  if (!row) throw notFound()
  return row
}

function refuseMismatch(format: Format, mapper: FoundMapper | null): void {
  const reads = hasColumns(format) ? 'csv' : 'json'
  if (!mapper && reads === 'csv') {
    throw problem('IMPORT_MAPPER_REQUIRED', 'A file with columns needs `mapperId`: the mapper that tells its columns where to go.')
  }
  if (mapper && mapper.format !== reads) {
    throw problem('IMPORT_MAPPER_FORMAT_MISMATCH', `The mapper reads ${mapper.format}, the file is ${reads}.`)
  }
}

/** What the beginning of a file, or its size, shows is an answer like any other. */
function told(cause: unknown): never {
  if (cause instanceof InitError) throw asProblem(cause)
  throw cause
}

/** Codes of files that are codes of answers too. */
const answers = ['IMPORT_BODY_MISSING', 'IMPORT_TOO_LARGE', 'IMPORT_ENCODING_INVALID', 'IMPORT_COLUMNS_MISSING'] as const
const isAnswer = (code: string): code is (typeof answers)[number] => (answers as readonly string[]).includes(code)

function asProblem({ code, message }: InitError): Problem {
  if (isAnswer(code)) return problem(code, message, { path: 'body' })
  if (code === 'IMPORT_SHEET_MISSING') return problem('INVALID_REQUEST', message, { path: 'sheet' })
  if (code === 'IMPORT_NOT_A_LIST') return invalid([{ path: 'body', code: 'type', message }])
  return problem(code === 'IMPORT_NOT_TEXT' || code === 'IMPORT_WORKBOOK_BROKEN' ? 'INVALID_REQUEST' : 'INVALID_JSON', message, {
    errors: [{ path: 'body', code: 'malformed', message }],
  })
}

/** CSV has its answer at once; of JSON the job says it. What cannot be read is the job's to tell. */
async function refusePastCap({ db, settings }: Context, { upload, dialect }: Staged): Promise<void> {
  const cap = settings.importCsvSyncRowCap
  if (cap === 0 || !hasColumns(dialect.format)) return
  const rows = await openSource(stagedPieces(db, upload), dialect, null).then((source) => countRows(source, cap))
    .catch((cause: unknown) => {
      if (cause instanceof InitError) return 0
      throw cause
    })
  if (rows > cap) throw problem('IMPORT_ROW_CAP_EXCEEDED', `The file has more than the ${cap} rows that are taken here.`)
}
