import { assertImportNetwork } from './intake.network.ts'
import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import {
  createValidationProblem,
  createNotFoundProblem,
  createProblem,
  type ProblemError,
} from '../../../kernel/problem.ts'
import type { ReceivedUpload, Upload, UploadedFile } from '../../../kernel/upload.ts'
import type { RecordEntity } from '../../../kernel/words.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { countRows, hasColumns, openSource } from '../formats/index.ts'
import {
  authorizeRecords,
  authorizeUpdate,
  type DuplicatePolicy,
  type FileNotes,
  InitError,
  type MapperRow,
  parseDelimiter,
} from '../records/index.ts'
import { collectFileNotes } from './imports.notes.ts'
import { getDeclaredFormat, cleanFileName } from './intake.formats.ts'
import { openTextUpload, textUploadType } from './intake.text.ts'
import {
  deleteUpload,
  type Format,
  openPieces,
  type StagedFile,
  type StageOptions,
  stageStream,
  stageWorkbook,
  stageWorkbookSheets,
} from '../staging/index.ts'

/** The query of a request to import. */
export interface ImportQuery {
  entityName: RecordEntity
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

/** A file that was received, and the mapper as it was at that moment. */
export interface ReceivedFile extends ReceivedUpload {
  file: StagedFile & { fileName: string | null }
  mapper: { id: string | null; rows: readonly MapperRow[] } | null
  notes: FileNotes
}

interface ReceiveFileOptions {
  context: Context
  work: Work
  caller: OrganizationCaller
  query: ImportQuery
  upload: Upload
}

/**
 * Validates the request of an import, and only then receives its file and stages it.
 * @throws RATE_LIMITED, AUTH_INSUFFICIENT_PERMISSIONS, NOT_FOUND, VALIDATION_FAILED, IMPORT_MAPPER_REQUIRED,
 * IMPORT_MAPPER_FORMAT_MISMATCH, UNSUPPORTED_MEDIA_TYPE, IMPORT_BODY_MISSING, IMPORT_TOO_LARGE,
 * IMPORT_ROW_CAP_EXCEEDED, IMPORT_ENCODING_INVALID, IMPORT_COLUMNS_MISSING, INVALID_JSON, INVALID_REQUEST
 */
export async function receiveFile({ context, work, caller, query, upload }: ReceiveFileOptions): Promise<ReceivedFile> {
  const sink = getRecordSink(query.entityName)
  authorizeRecords(caller, sink, 'create')
  if (query.onDuplicate === 'update') authorizeUpdate(caller, sink)
  await readApplication(work, query.application)
  const mapper = await findRequestedMapper(work, caller.organization, query)
  const { network } = query
  await assertImportNetwork(context, { organization: caller.organization, network, sink })
  if (upload.type === textUploadType) {
    assertNoEncoding(query)
    return runWithinUploadLimits(context.db, caller, async () => {
      const sent = openTextUpload(await upload.readObject(), { mapperId: query.mapperId, records: sink })
      const received = await receiveSentFile({ context, caller, query }, sent.file, sent.mapper ?? mapper)
      return { ...received, digest: sent.digest }
    })
  }
  if (upload.type !== null) assertFormatMatches(getDeclaredFormat({ type: upload.type, name: null }), mapper)
  return runWithinUploadLimits(context.db, caller, async () => {
    const uploadedFile = await upload.openFile()
    if (!uploadedFile)
      throw createProblem('IMPORT_BODY_MISSING', 'The request has no file to import.', { path: 'body' })
    return receiveSentFile({ context, caller, query }, uploadedFile, mapper)
  })
}

/** @throws INVALID_REQUEST if the query names an encoding for characters, which have none */
function assertNoEncoding({ encoding }: ImportQuery): void {
  if (encoding !== undefined)
    throw createProblem('INVALID_REQUEST', 'Text in a JSON body is Unicode already; leave `encoding` out.', {
      path: 'encoding',
    })
}

/**
 * The maximum number of files that this process receives at a time from one organization, and from one of its keys or
 * members; `workbooks` limits those of one organization. Each file takes up to 3 MiB of memory, but a workbook some
 * hundred, because it is read as a whole.
 */
const maxConcurrentUploads = { organization: 8, caller: 6, workbooks: 2 }
const uploadCounts = new Map<string, number>()

/** The maximum size in bytes of all files of one organization that wait for their imports. */
const maxWaitingBytes = 4 * 1024 * 1024 * 1024

/**
 * Asserts that an organization may stage another file. A small packed file can unpack to a large one, so the limit is
 * on what waits, whoever sent it and whenever.
 */
async function assertStorageLeft(db: Knex, organization: string): Promise<void> {
  const {
    rows: [waiting],
  } = await db.raw<{ rows: { bytes: number }[] }>(
    'select coalesce(sum(bytes), 0)::bigint as bytes from import_uploads where organization = ?',
    [organization],
  )
  if ((waiting?.bytes ?? 0) < maxWaitingBytes) return
  throw createProblem('RATE_LIMITED', 'Files of 4 GiB wait for their imports already. Wait until some have ended.', {
    headers: { 'Retry-After': '60' },
  })
}

/**
 * Receives a file within the limits of its caller.
 * @throws RATE_LIMITED if the caller or its organization sends too many files at a time, or too much of the
 * organization waits
 */
export async function runWithinUploadLimits<T>(
  db: Knex,
  caller: OrganizationCaller,
  work: () => Promise<T>,
): Promise<T> {
  const { organization } = caller
  const callerKey = caller.kind === 'key' ? `key ${caller.id}` : `member ${caller.user} ${organization}`
  assertUploadAllowed(callerKey, maxConcurrentUploads.caller, 'You are')
  assertUploadAllowed(organization, maxConcurrentUploads.organization, 'Your organization is')
  for (const name of [callerKey, organization]) uploadCounts.set(name, (uploadCounts.get(name) ?? 0) + 1)
  try {
    await assertStorageLeft(db, organization)
    return await work()
  } finally {
    for (const name of [callerKey, organization]) releaseUpload(name)
  }
}

function assertUploadAllowed(name: string, max: number, who: string, what = 'files'): void {
  if ((uploadCounts.get(name) ?? 0) < max) return
  throw createProblem('RATE_LIMITED', `${who} sending ${max} ${what} already. Wait for one of them.`, {
    headers: { 'Retry-After': '5' },
  })
}

function releaseUpload(name: string): void {
  const left = (uploadCounts.get(name) ?? 1) - 1
  if (left > 0) uploadCounts.set(name, left)
  else uploadCounts.delete(name)
}

async function receiveSentFile(
  { context, caller, query }: Pick<ReceiveFileOptions, 'context' | 'caller' | 'query'>,
  uploadedFile: UploadedFile,
  mapper: SentMapper | null,
): Promise<ReceivedFile> {
  const format = getDeclaredFormat(uploadedFile)
  assertFormatMatches(format, mapper)
  const { organization } = caller
  const { delimiter, sheet } = query
  if (sheet !== undefined && format !== 'xlsx')
    throw createProblem('INVALID_REQUEST', 'Only a workbook has sheets.', { path: 'sheet' })
  const encoding = query.encoding ?? uploadedFile.charset ?? undefined
  if (delimiter !== undefined && format !== 'csv')
    throw createProblem('INVALID_REQUEST', 'Only CSV has a delimiter.', { path: 'delimiter' })
  const declared = { organization, format, encoding, delimiter: parseDelimiter(delimiter), sheet }
  const { staged, discard } = await stageFile(context, uploadedFile, declared).catch(rethrowAsProblem)
  const fileName = uploadedFile.name === null ? null : cleanFileName(uploadedFile.name)
  const notes = await readFileNotes(context.db, staged, mapper, getRecordSink(query.entityName)).catch(
    async (cause: unknown) => {
      await discard()
      return rethrowAsProblem(cause)
    },
  )
  return { digest: staged.digest, discard, file: { ...staged, fileName }, mapper, notes }
}

/**
 * The codes that are answered at once because the header makes an import pointless; the job reports all other errors of
 * a file.
 */
const immediateCodes = ['IMPORT_COLUMNS_MISSING', 'IMPORT_ENCODING_INVALID']

/** @throws InitError IMPORT_COLUMNS_MISSING, IMPORT_ENCODING_INVALID */
async function readFileNotes(
  db: Knex,
  { upload, dialect }: StagedFile,
  mapper: SentMapper | null,
  sink: RecordSink,
): Promise<FileNotes> {
  try {
    const source = hasColumns(dialect.format)
      ? await openSource(openPieces(db, upload), dialect, null)
      : { columns: null }
    return collectFileNotes(dialect, source, mapper?.rows ?? null, sink)
  } catch (cause) {
    if (!(cause instanceof InitError) || immediateCodes.includes(cause.code)) throw cause
    return { warnings: [], unusedColumns: [] }
  }
}

/** @throws RATE_LIMITED if the organization already sends as many workbooks as are read at a time */
async function runWithinWorkbookLimit<T>(organization: string, work: () => Promise<T>): Promise<T> {
  const name = `workbooks of ${organization}`
  assertUploadAllowed(name, maxConcurrentUploads.workbooks, 'Your organization is', 'workbooks')
  uploadCounts.set(name, (uploadCounts.get(name) ?? 0) + 1)
  try {
    return await work()
  } finally {
    releaseUpload(name)
  }
}

/**
 * Stages a file that was sent, and deletes it again if it has too many rows.
 * @throws IMPORT_ROW_CAP_EXCEEDED, RATE_LIMITED, and InitError for its size and for what its beginning shows
 */
export async function stageFile(
  context: Context,
  { bytes }: Pick<UploadedFile, 'bytes'>,
  options: StageOptions,
): Promise<{ staged: StagedFile; discard: () => Promise<void> }> {
  const staged =
    options.format === 'xlsx'
      ? await runWithinWorkbookLimit(options.organization, () => stageWorkbook(context, bytes, options))
      : await stageStream(context, bytes, options)
  const discard = () => discardUploads(context, [staged])
  await assertWithinRowCap(context, staged).catch(async (cause: unknown) => {
    await discard()
    throw cause
  })
  return { staged, discard }
}

/**
 * Stages a file that was sent, of a workbook each sheet that is shown: somebody chooses one of them afterwards.
 * @returns the sheets, the first one first; any other file alone
 * @throws as `stageFile`
 */
export async function stageSheets(
  context: Context,
  file: Pick<UploadedFile, 'bytes'>,
  options: StageOptions,
): Promise<{ sheets: readonly [StagedFile, ...StagedFile[]]; discard: () => Promise<void> }> {
  if (options.format !== 'xlsx') {
    const { staged, discard } = await stageFile(context, file, options)
    return { sheets: [staged], discard }
  }
  const { organization } = options
  const all = await runWithinWorkbookLimit(organization, () => stageWorkbookSheets(context, file.bytes, options))
  const [first, ...others] = all as [StagedFile, ...StagedFile[]]
  const discard = () => discardUploads(context, all)
  await assertWithinRowCap(context, first).catch(async (cause: unknown) => {
    await discard()
    throw cause
  })
  return { sheets: [first, ...others], discard }
}

async function discardUploads(context: Context, files: readonly StagedFile[]): Promise<void> {
  for (const { upload } of files) {
    await deleteUpload(context.db, upload).catch((cause: unknown) =>
      context.log.warn({ err: cause, upload }, 'a received file waits for the upkeep'),
    )
  }
}

type StoredMapper = { id: string; format: 'json' | 'csv'; rows: readonly MapperRow[] }
/** A mapper of the application, or one without an id that was sent with the file. */
type SentMapper = Omit<StoredMapper, 'id'> & { id: string | null }

/**
 * Finds the mapper that the query names.
 * @throws NOT_FOUND if the application has no such mapper; VALIDATION_FAILED for one of another entity
 */
async function findRequestedMapper(
  { trx }: Work,
  organization: string,
  { application, entityName, mapperId }: ImportQuery,
): Promise<StoredMapper | null> {
  if (mapperId === undefined) return null
  const row = await trx('import_mappers')
    .where({ id: mapperId, organization, application })
    .first<(StoredMapper & { entity_name: string }) | undefined>('id', 'format', 'rows', 'entity_name')
  if (!row) throw createNotFoundProblem()
  const { entity_name: entity, ...mapper } = row
  if (entity === entityName) return mapper
  throw createValidationProblem([{ path: 'mapperId', code: 'mismatch', message: `is a mapper of ${entity}` }])
}

function assertFormatMatches(format: Format, mapper: SentMapper | null): void {
  const reads = hasColumns(format) ? 'csv' : 'json'
  if (!mapper && reads === 'csv') {
    throw createProblem(
      'IMPORT_MAPPER_REQUIRED',
      'A file with columns needs `mapperId`, or `mapping` where it is sent as text in JSON.',
    )
  }
  if (mapper && mapper.format !== reads) {
    throw createProblem('IMPORT_MAPPER_FORMAT_MISMATCH', `The mapper reads ${mapper.format}, the file is ${reads}.`)
  }
}

/** Throws an error about the beginning or the size of a file as a problem, so that it is answered like any other. */
export function rethrowAsProblem(cause: unknown): never {
  if (cause instanceof InitError) throw toProblem(cause)
  throw cause
}

/** The codes of errors of files that are also codes of problems. */
const answerCodes = [
  'IMPORT_BODY_MISSING',
  'IMPORT_TOO_LARGE',
  'IMPORT_ENCODING_INVALID',
  'IMPORT_COLUMNS_MISSING',
] as const
const isAnswerCode = (code: string): code is (typeof answerCodes)[number] =>
  (answerCodes as readonly string[]).includes(code)

function toProblem({ code, message }: InitError): ProblemError {
  if (isAnswerCode(code)) return createProblem(code, message, { path: 'body' })
  if (code === 'IMPORT_SHEET_MISSING') return createProblem('INVALID_REQUEST', message, { path: 'sheet' })
  if (code === 'IMPORT_NOT_A_LIST') return createValidationProblem([{ path: 'body', code: 'type', message }])
  return createProblem(
    code === 'IMPORT_NOT_TEXT' || code === 'IMPORT_WORKBOOK_BROKEN' ? 'INVALID_REQUEST' : 'INVALID_JSON',
    message,
    {
      errors: [{ path: 'body', code: 'malformed', message }],
    },
  )
}

/**
 * Asserts that a file with columns has no more rows than are allowed; the job checks JSON. A file that cannot be read
 * passes, because the job reports that.
 */
async function assertWithinRowCap({ db, settings }: Context, { upload, dialect }: StagedFile): Promise<void> {
  const cap = settings.importCsvSyncRowCap
  if (cap === 0 || !hasColumns(dialect.format)) return
  const rows = await openSource(openPieces(db, upload), dialect, null)
    .then((source) => countRows(source, cap))
    .catch((cause: unknown) => {
      if (cause instanceof InitError) return 0
      throw cause
    })
  if (rows > cap)
    throw createProblem('IMPORT_ROW_CAP_EXCEEDED', `The file has more than the ${cap} rows that are taken here.`)
}
