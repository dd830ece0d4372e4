import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { charsetOf } from '../../kernel/charset.ts'
import { OutboundError, type OutboundReason, type StreamOptions, type Streamed } from '../../kernel/parts.ts'
import type { Context } from '../../kernel/work.ts'
import { InitError, type Dialect } from './imports.types.ts'
import { shownName } from './intake.formats.ts'
import { openHeaders } from './mappers.headers.ts'
import { MapperModel } from './mappers.model.ts'
import { delimiterNamed, workbookType } from './staging.detect.ts'
import { fileLimit, stageStream } from './staging.ts'
import { stageWorkbook } from './staging.workbook.ts'

/** Milliseconds. */
const limits = { firstByte: 30_000, patience: 30 * 60_000, again: 1_000 }
/** Times that a source is asked which cannot be reached, or says that it cannot answer at the moment. */
const attempts = 2
const momentary = new Set([502, 503, 504])

/** What servers call CSV and JSON, and what they call a file that they know nothing about. */
const unknownTypes = ['text/plain', 'application/octet-stream', 'binary/octet-stream', 'application/download']
const types: Record<'csv' | 'json', readonly string[]> = {
  csv: [
    'text/csv', 'application/csv', 'application/x-csv', 'text/x-csv', 'text/comma-separated-values',
    'text/tab-separated-values', 'application/vnd.ms-excel', workbookType, ...unknownTypes,
  ],
  json: [
    'application/json', 'text/json', 'application/ld+json', 'application/x-ndjson', 'application/ndjson',
    'application/jsonl', 'application/x-jsonlines', ...unknownTypes,
  ],
}

export interface FetchedSource {
  /** The staged file. */
  upload: string
  /** Bytes of it, decoded. */
  bytes: number
  dialect: Dialect
  fileName?: string
  /** To be remembered by `rememberEtag` when the import has completed; null where the source gave none. */
  etag: string | null
}

/** Whose fetch it is; `signal` ends it. */
interface FetchedBy { job: string; organization: string; mapper: string; signal?: AbortSignal }

/**
 * Fetches the address of a mapper and stages what comes: at most 256 MB, 30 s until it begins and between two pieces,
 * half an hour in all, up to 3 redirects. Headers of the mapper go to its own origin alone. A source that answers 304
 * to the ETag of the last completed import is unchanged. How it is written the mapper says, else the source's content
 * type, else it is found out. What an earlier attempt staged has no job and is swept up.
 * @throws InitError IMPORT_SOURCE_UNREACHABLE, _BLOCKED, _TIMEOUT, _TOO_LARGE, _TYPE, _STATUS, _EMPTY,
 *   IMPORT_MAPPER_GONE, or what `stageStream` finds wrong with the file
 */
export async function fetchSource(context: Context, run: FetchedBy): Promise<FetchedSource | 'unchanged'> {
  const mapper = await MapperModel.query(context.db).findById(run.mapper).modify('ofOrganization', run.organization)
  if (!mapper || mapper.url === null) {
    throw new InitError('IMPORT_MAPPER_GONE', 'The mapper has no address any more: it was deleted or changed.')
  }
  const { url } = mapper
  const options = { ...optionsOf(context, mapper), ...(run.signal && { signal: run.signal }) }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await context.outbound.stream(url, options, (answer) => stage(context, mapper, answer))
    } catch (cause) {
      if (cause instanceof InitError && cause.code === 'IMPORT_BODY_MISSING') throw empty(cause)
      if (!(cause instanceof OutboundError)) throw cause
      if (attempt === attempts || !mayPass(cause)) throw initError(cause)
      await sleep(limits.again, undefined, run.signal && { signal: run.signal })
    }
  }
}

function optionsOf(context: Context, mapper: MapperModel): StreamOptions {
  return {
    types: types[mapper.format], most: fileLimit, firstByte: limits.firstByte, patience: limits.patience,
    ...(mapper.etag !== null && { headers: { 'if-none-match': mapper.etag } }),
    secrets: openHeaders(context, mapper, mapper.headers) ?? {},
  }
}

async function stage(
  context: Context, { organization, format, url, encoding: said, delimiter, sheet }: MapperModel, { type, headers, body }: Streamed,
): Promise<FetchedSource | 'unchanged'> {
  if (body === null) return 'unchanged'
  const fileName = fileNameOf(url ?? '')
  const isBook = format === 'csv' && (type === workbookType || /\.xls[xm]$/i.test(fileName ?? ''))
  const declared = isBook ? 'xlsx' : /ndjson|jsonl/.test(type) ? 'ndjson' : format
  if (sheet !== null && !isBook) throw new InitError('IMPORT_SOURCE_TYPE', 'The mapper names a sheet, but the source gave no workbook.')
  if (delimiter !== null && isBook) throw new InitError('IMPORT_SOURCE_TYPE', 'The mapper names a delimiter, but the source gave a workbook.')
  const { upload, bytes, dialect } = await (isBook ? stageWorkbook : stageStream)(context, body, {
    organization, format: declared, encoding: said ?? charsetOf(headers['content-type']) ?? undefined,
    delimiter: delimiterNamed(delimiter), sheet: sheet ?? undefined,
  })
  return { upload, bytes, dialect, etag: etagOf(headers['etag']), ...(fileName !== undefined && { fileName }) }
}

/** Source: RFC 9110, section 8.8.3. */
const etagOf = (value = '') => (/^(?:W\/)?"[\x21\x23-\x7e]{0,500}"$/.test(value) ? value : null)

/** The end of the path, where it looks like the name of a file. */
function fileNameOf(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  if (!/^[\w.%+ -]+\.\w{1,10}$/.test(last)) return undefined
  try {
    return shownName(decodeURIComponent(last))
  } catch {
    return undefined
  }
}

const mayPass = ({ reason, status }: OutboundError) =>
  reason === 'unreachable' || (status !== null && momentary.has(status))

/** What is told of each reason: nothing of what stands at an address that is not to be reached. */
const told: Record<OutboundReason, readonly [code: string, message: string]> = {
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

const empty = (cause: InitError) => new InitError('IMPORT_SOURCE_EMPTY', 'The source gave an empty file.', { cause })

function initError(cause: OutboundError): InitError {
  const [code, message] = told[cause.reason]
  const answered = `The source answered with status ${cause.status}, not with a file.`
  return new InitError(code, cause.status === null ? message : answered, { cause })
}

/**
 * Remembers what a completed run has taken, in the step that ends it. Does nothing where a row failed, or where the
 * mapper was changed since the run began: then the source is taken again, changed or not.
 * @param etag of `FetchedSource`, kept by the job until then
 */
export async function rememberEtag(
  trx: Knex.Transaction, { job, mapper, etag }: { job: string; mapper: string; etag: string },
): Promise<void> {
  await trx.raw(
    `update import_mappers set etag = ? where id = ?
       and updated_at < (select created_at from imports where job = ?)
       and not exists (select from jobs where id = ? and failed > 0)`, [etag, mapper, job, job])
}
