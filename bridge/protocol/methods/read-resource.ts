import { AddressError, parseByteRange, type AddressMatch } from '../../../tools/arguments/address.ts'
import { isText } from '../../../tools/arguments/body-form.ts'
import type { Catalogue } from '../../../tools/catalogue/catalogue.ts'
import { explainMissingResource } from '../../../tools/search/missing.ts'
import type { ApiAnswer, ApiRequest, ByteRange } from '../../../tools/results/api-request.ts'
import { toProblem } from '../../../tools/results/problems.ts'
import {
  decodeUtf8,
  encodeBase64,
  findTextCut,
  formatByteRange,
  formatSize,
  isDeclaredUtf8,
  maxShownBytes,
} from '../../../tools/results/text-parts.ts'
import { keptMinutes } from '../../../tools/own/kept-answer.ts'
import type { Upstream } from '../../api/upstream.ts'
import type { KeptAnswers } from '../../shared/kept-answers.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { ApiOutcome, EraDialect, MethodCall } from './method-call.ts'
import { createRefusalError } from './refusal-error.ts'

/** One entry of the answer to `resources/read`. Source: MCP, resources, resource contents. */
type ResourceContents = Readonly<Record<string, unknown>>

type RangeSelector = Parameters<Upstream['send']>[3]
type RequestSender = (request: ApiRequest, operation: string, selectRange: RangeSelector) => Promise<ApiOutcome>

/**
 * Answers `resources/read` with the body of the REST answer and its media type, byte for byte. At most 256 KiB are
 * answered at once. Of a larger body, the first entry of `contents` is its first part, unchanged, and its `uri` has the
 * range of bytes that it holds; a second entry names the rest by its `uri` (`#bytes=<first>-`) and says in words how to
 * read it. All parts together are the body. A range of at most 256 KiB is answered by one entry.
 * @throws ProtocolError
 */
export async function readResource(
  call: MethodCall,
  catalogue: Catalogue,
  send: RequestSender,
): Promise<{ contents: readonly ResourceContents[] }> {
  const { uri } = call.params
  if (typeof uri !== 'string') throw new ProtocolError(codes.invalidParams, 'uri is missing')
  const match = matchAddress(uri, catalogue, call)
  if (match.is === 'own')
    return { contents: cutContents(uri, match.mimeType, Buffer.from(match.text), match.byteRange) }
  const { request, byteRange } = match
  const selectRange = (status: number) => (status < 300 ? limitRange(byteRange ?? wholeBody) : wholeBody)
  const { answer, problem } = await send(request, match.operation.name, selectRange)
  if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
  if (answer.status < 200 || answer.status >= 300) throw createRefusalError(toProblem(answer), call.dialect, uri)
  return { contents: createContents(uri, answer, byteRange) }
}

/**
 * Answers `resources/read` with an answer that was kept for its caller, in the same parts. @throws ProtocolError
 */
export async function readKeptAnswer(
  uri: string,
  { context, dialect }: MethodCall,
  keptAnswers: KeptAnswers,
): Promise<{ contents: readonly ResourceContents[] }> {
  const { address, byteRange } = splitKeptAddress(uri, dialect)
  const kept = await keptAnswers.find(address, context.callerHash)
  const missing = `There is no such answer. An answer is kept for ${keptMinutes} minutes, for its caller, and newer ones take its place.`
  if (!kept) throw new ProtocolError(dialect.notFound, missing, { uri })
  return { contents: cutContents(uri, kept.mediaType, kept.bytes, byteRange) }
}

function splitKeptAddress(uri: string, dialect: EraDialect): { address: string; byteRange: ByteRange | null } {
  const [, address = uri, fragment] = /^([^#]*)(?:#(.*))?$/s.exec(uri) ?? []
  try {
    return { address, byteRange: fragment === undefined ? null : parseByteRange(fragment) }
  } catch (cause) {
    if (!(cause instanceof AddressError)) throw cause
    throw new ProtocolError(dialect.notFound, cause.message, { uri })
  }
}

/** Creates the contents of a range of a body that is in memory. */
function cutContents(
  uri: string,
  mediaType: string | null,
  whole: Uint8Array,
  byteRange: ByteRange | null,
): ResourceContents[] {
  const { from, to } = limitRange(byteRange ?? wholeBody)
  const bytes = whole.subarray(from, to)
  return createContents(uri, { mediaType, bytes, size: whole.length, complete: to >= whole.length }, byteRange)
}

const wholeBody: ByteRange = { from: 0, to: Infinity }

const limitRange = ({ from, to }: ByteRange): ByteRange => ({ from, to: Math.min(to, from + maxShownBytes) })

/** @param answer what was read of the body: the stated range, or its first 256 KiB */
function createContents(
  uri: string,
  answer: Pick<ApiAnswer, 'mediaType' | 'bytes' | 'complete' | 'size'>,
  byteRange: ByteRange | null,
): ResourceContents[] {
  const mimeType = answer.mediaType ?? 'application/octet-stream'
  const isTextual = isText(mimeType) && isDeclaredUtf8(mimeType)
  const { from, to } = byteRange ?? wholeBody
  if (answer.complete || to <= from + maxShownBytes) return [createEntry(uri, mimeType, answer.bytes, isTextual)]
  const length = isTextual ? findTextCut(answer.bytes, answer.bytes.length - 1) : answer.bytes.length
  const end = from + length
  const address = uri.replace(/#bytes=[^#]*$/, '')
  const rest = address + formatByteRange(end)
  const text = `Bytes ${from} to ${end - 1} of ${formatSize(answer)} are above. Read the rest as ${rest}`
  return [
    createEntry(address + formatByteRange(from, end), mimeType, answer.bytes.subarray(0, length), isTextual),
    { uri: rest, mimeType: 'text/plain', text },
  ]
}

function createEntry(uri: string, mimeType: string, bytes: Uint8Array, isTextual: boolean): ResourceContents {
  const text = isTextual ? decodeUtf8(bytes) : null
  return { uri, mimeType, ...(text === null ? { blob: encodeBase64(bytes) } : { text }) }
}

function matchAddress(uri: string, catalogue: Catalogue, { dialect }: MethodCall): AddressMatch {
  try {
    return catalogue.resources.matchAddress(uri)
  } catch (cause) {
    if (!(cause instanceof AddressError)) throw cause
    throw new ProtocolError(dialect.notFound, explainMissingResource(uri, cause, catalogue), { uri })
  }
}
