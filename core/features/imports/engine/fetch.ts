import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { parseCharset } from '../../../kernel/text/charset.ts'
import {
  OutboundError,
  type OutboundReason,
  type OutboundStreamOptions,
  type StreamedResponse,
} from '../../../kernel/ports/outbound.ts'
import type { Context } from '../../../kernel/work.ts'
import { type Dialect, InitError, parseDelimiter } from '../records/index.ts'
import { cleanFileName } from '../intake/index.ts'
import { MapperModel, openHeaders } from '../mappers/index.ts'
import { maxFileBytes, stageStream, stageWorkbook, workbookType } from '../staging/index.ts'

/** The timeouts of a fetch and the delay before its retry, in milliseconds. */
const fetchTimings = { firstByteTimeoutMs: 30_000, totalTimeoutMs: 30 * 60_000, retryDelayMs: 1_000 }
/** The maximum number of requests to a source that cannot be reached or says that it cannot answer at the moment. */
const maxAttempts = 2
const transientStatuses = new Set([502, 503, 504])

/** The content types that servers give to a file that they know nothing about; it may be CSV or JSON. */
const unknownTypes = ['text/plain', 'application/octet-stream', 'binary/octet-stream', 'application/download']
const types: Record<'csv' | 'json', readonly string[]> = {
  csv: [
    'text/csv',
    'application/csv',
    'application/x-csv',
    'text/x-csv',
    'text/comma-separated-values',
    'text/tab-separated-values',
    'application/vnd.ms-excel',
    workbookType,
    ...unknownTypes,
  ],
  json: [
    'application/json',
    'text/json',
    'application/ld+json',
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    ...unknownTypes,
  ],
}

export interface FetchedSource {
  /** The staged file. */
  upload: string
  /** The size of the staged file in bytes, after decoding. */
  bytes: number
  dialect: Dialect
  fileName?: string
  /** The ETag that `updateEtag` stores when the import has completed; null if the source gave none. */
  etag: string | null
}

/** The job, the organization and the mapper of a fetch; `signal` aborts the fetch. */
interface FetchOptions {
  job: string
  organization: string
  mapper: string
  signal?: AbortSignal
}

/**
 * Fetches the address of a mapper and stages the file: at most 256 MB, 30 s until the answer begins and between two
 * pieces, half an hour in all, up to 3 redirects. Headers of the mapper are sent to its own origin only. A source that
 * answers 304 to the ETag of the last completed import is unchanged. How the file is written is taken from the mapper,
 * else from the content type of the answer, else it is detected. A file that an earlier attempt staged belongs to no
 * job, and the upkeep deletes it.
 * @throws InitError IMPORT_SOURCE_UNREACHABLE, _BLOCKED, _TIMEOUT, _TOO_LARGE, _TYPE, _STATUS, _EMPTY,
 * IMPORT_MAPPER_GONE, or what `stageStream` or `stageWorkbook` finds wrong with the file
 */
export async function fetchSource(context: Context, fetchOptions: FetchOptions): Promise<FetchedSource | 'unchanged'> {
  const mapper = await MapperModel.query(context.db)
    .findById(fetchOptions.mapper)
    .modify('ofOrganization', fetchOptions.organization)
  if (!mapper || mapper.url === null) {
    throw new InitError('IMPORT_MAPPER_GONE', 'The mapper has no address any more: it was deleted or changed.')
  }
  const { url } = mapper
  const options = {
    ...createStreamOptions(context, mapper),
    ...(fetchOptions.signal && { signal: fetchOptions.signal }),
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await context.outbound.stream(url, options, (answer) => stageSource(context, mapper, answer))
    } catch (cause) {
      if (cause instanceof InitError && cause.code === 'IMPORT_BODY_MISSING') throw createEmptyError(cause)
      if (!(cause instanceof OutboundError)) throw cause
      if (attempt === maxAttempts || !isTransient(cause)) throw toInitError(cause)
      await sleep(fetchTimings.retryDelayMs, undefined, fetchOptions.signal && { signal: fetchOptions.signal })
    }
  }
}

function createStreamOptions(context: Context, mapper: MapperModel): OutboundStreamOptions {
  return {
    mediaTypes: types[mapper.format],
    maxBytes: maxFileBytes,
    idleTimeoutMs: fetchTimings.firstByteTimeoutMs,
    timeoutMs: fetchTimings.totalTimeoutMs,
    ...(mapper.etag !== null && { headers: { 'if-none-match': mapper.etag } }),
    secretHeaders: openHeaders(context, mapper, mapper.headers) ?? {},
  }
}

async function stageSource(
  context: Context,
  { organization, format, url, encoding: namedEncoding, delimiter, sheet }: MapperModel,
  { type, headers, body }: StreamedResponse,
): Promise<FetchedSource | 'unchanged'> {
  if (body === null) return 'unchanged'
  const fileName = getFileName(url ?? '')
  const isBook = format === 'csv' && (type === workbookType || /\.xls[xm]$/i.test(fileName ?? ''))
  const declared = isBook ? 'xlsx' : /ndjson|jsonl/.test(type) ? 'ndjson' : format
  if (sheet !== null && !isBook)
    throw new InitError('IMPORT_SOURCE_TYPE', 'The mapper names a sheet, but the source gave no workbook.')
  if (delimiter !== null && isBook)
    throw new InitError('IMPORT_SOURCE_TYPE', 'The mapper names a delimiter, but the source gave a workbook.')
  const { upload, bytes, dialect } = await (isBook ? stageWorkbook : stageStream)(context, body, {
    organization,
    format: declared,
    encoding: namedEncoding ?? parseCharset(headers['content-type']) ?? undefined,
    delimiter: parseDelimiter(delimiter),
    sheet: sheet ?? undefined,
  })
  return { upload, bytes, dialect, etag: parseEtag(headers['etag']), ...(fileName !== undefined && { fileName }) }
}

/** Parses an ETag header; returns null if it is not valid. Source: RFC 9110, section 8.8.3. */
const parseEtag = (value = '') => (/^(?:W\/)?"[\x21\x23-\x7e]{0,500}"$/.test(value) ? value : null)

/** Returns the end of the path if it looks like the name of a file. */
function getFileName(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  if (!/^[\w.%+ -]+\.\w{1,10}$/.test(last)) return undefined
  try {
    return cleanFileName(decodeURIComponent(last))
  } catch {
    return undefined
  }
}

const isTransient = ({ reason, status }: OutboundError) =>
  reason === 'unreachable' || (status !== null && transientStatuses.has(status))

/**
 * The errors that callers see for each reason. They reveal nothing about what is at an address that must not be
 * reached.
 */
const initErrorsByReason: Record<OutboundReason, readonly [code: string, message: string]> = {
  blocked_address: ['IMPORT_SOURCE_BLOCKED', 'The source, or where it leads to, is not public or not https.'],
  dns_failed: ['IMPORT_SOURCE_UNREACHABLE', 'The name of the source is not known to the internet.'],
  tls_failed: ['IMPORT_SOURCE_UNREACHABLE', 'The source has no secure connection; its certificate may be wrong.'],
  unreachable: ['IMPORT_SOURCE_UNREACHABLE', 'The source could not be reached, or the connection broke off.'],
  timeout: [
    'IMPORT_SOURCE_TIMEOUT',
    'The source did not answer within 30 s, stopped sending for as long, or took more than 30 minutes.',
  ],
  too_large: ['IMPORT_SOURCE_TOO_LARGE', 'The source sent more than 256 MB.'],
  http_status: ['IMPORT_SOURCE_STATUS', 'The source did not answer with a file.'],
  content_type: ['IMPORT_SOURCE_TYPE', 'The source gave no file of the format of the mapper, but perhaps a web page.'],
  redirects: ['IMPORT_SOURCE_STATUS', 'The source leads on to other addresses more than three times.'],
}

const createEmptyError = (cause: InitError) =>
  new InitError('IMPORT_SOURCE_EMPTY', 'The source gave an empty file.', { cause })

function toInitError(cause: OutboundError): InitError {
  const [code, message] = initErrorsByReason[cause.reason]
  const answered = `The source answered with status ${cause.status}, not with a file.`
  return new InitError(code, cause.status === null ? message : answered, { cause })
}

/**
 * Stores the ETag of the source in the transaction that ends a completed import. Does nothing if a row failed, or if
 * the mapper was changed since the import began: then the next run takes the source again, changed or not.
 * @param etag the ETag of `FetchedSource`, which the job's state keeps until then
 */
export async function updateEtag(
  trx: Knex.Transaction,
  { job, mapper, etag }: { job: string; mapper: string; etag: string },
): Promise<void> {
  await trx.raw(
    `update import_mappers set etag = ? where id = ?
       and updated_at < (select created_at from imports where job = ?)
       and not exists (select from jobs where id = ? and failed > 0)`,
    [etag, mapper, job, job],
  )
}
