import { toContentBlock, createTextBlock, decodeText, type ContentBlock } from './blocks.ts'
import { isJson } from '../arguments/body-form.ts'
import { showInvisible } from '../arguments/show-invisible.ts'
import { limitProblem, toProblem, formatProblem, type Problem } from './problems.ts'
import { putJsonBody } from './json-result.ts'
import { getJobPath, parseStartedJob, type StartedJob } from './jobs.ts'
import { describeNextStep, type FailureContext } from './next-step.ts'
import { isMultipartMixed, parseParts } from './multipart.ts'
import { parseExactJson } from '../json.ts'
import type { SecretPlaces } from './secrets.ts'
import { createKeptLink } from '../own/kept-answer.ts'
import { getPlainContent } from './structure-texts.ts'
import { cutShownText, encodeBase64, findTextCut, formatByteRange, maxShownBytes, formatSize } from './text-parts.ts'
import type { ApiAnswer, ApiRequest, ByteRange } from './api-request.ts'
import type { ResourceIndex } from '../catalogue/resources.ts'

export type { ContentBlock }

/** A result of `tools/call`. Source: MCP 2025-11-25, tools. */
export interface ToolResult {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: true
  _meta?: Record<string, unknown>
  [member: string]: unknown
}

/** The largest part of an answer that becomes a result, in bytes. */
const maxAnswerBytes = 8 * 1024 * 1024
const readableRange: ByteRange = { from: 0, to: maxAnswerBytes }
const firstRange: ByteRange = { from: 0, to: maxShownBytes }

/**
 * Creates a function that selects how much to read: JSON as a whole, other content only first if a link leads to the
 * rest.
 */
export function createRangeSelector(request: ApiRequest, resources: ResourceIndex) {
  return (status: number, mediaType: string | null): ByteRange =>
    status < 300 && !isJson(mediaType ?? '') && findResource(request, resources) !== null ? firstRange : readableRange
}

/** Returns whether a result leaves out a part of an answer that no resource reads again, so that it has to be kept. */
export function mustBeKept(request: ApiRequest, answer: ApiAnswer, resources: ResourceIndex): boolean {
  if (!answer.complete || answer.bytes.length <= maxShownBytes) return false
  return findResource(request, resources) === null && findChangedResource(request, answer, resources) === null
}

export interface ToolResultOptions {
  readonly resources: ResourceIndex
  /** Whether structured content that is not an object is put under `result`. */
  readonly wrapsStructure: boolean
  /** Where the body has secrets. */
  readonly secrets: SecretPlaces | null
  /** The address at which the answer is kept; null if it is not. */
  readonly keptUri: string | null
  /** Whether the operation changes nothing, whatever its method is, so that a failure leaves nothing in doubt. */
  readonly onlyReads?: boolean
}

/** Creates the result of a call that the API answered, and finds the job that it started. */
export function createToolResult(
  request: ApiRequest,
  answer: ApiAnswer,
  options: ToolResultOptions,
): { result: ToolResult; job: StartedJob | null } {
  const { resources, wrapsStructure, secrets } = options
  if (answer.status < 200 || answer.status >= 300) {
    const list = answer.status === 404 ? resources.findListAbove(request.path) : null
    const { retryAfter } = answer
    const isRepeatable = request.idempotency?.isRepeatable
    const writes = request.method !== 'GET' && !options.onlyReads
    const failureContext = { writes, isRepeatable, list, retryAfter }
    const result = createFailureResult(toProblem(answer), failureContext)
    if (options.keptUri !== null) result.content.push(...createRestLinks(request, answer, 0, options))
    return { result, job: null }
  }
  const mediaType = answer.mediaType ?? ''
  if (answer.bytes.length === 0 && answer.complete)
    return { result: { content: [{ type: 'text', text: `Done (${answer.status}).` }] }, job: null }
  if (answer.bytes.length > maxShownBytes && !answer.complete)
    return { result: createTooLargeResult(request, answer, options), job: null }
  const text = decodeText(mediaType, answer.bytes.subarray(0, getTextEnd(answer)))
  const value = isJson(mediaType) && text !== null ? parseExactJson(text) : undefined
  if (value === undefined || text === null)
    return { result: { content: createPartBlocks(request, answer, text, options) }, job: null }
  const result: ToolResult = { content: [] }
  const createLinks = (end: number) => createRestLinks(request, answer, end, options)
  putJsonBody(result, { text, value }, { wrapsStructure, secrets, createRestLinks: createLinks })
  const job = parseStartedJob(answer.status, value, answer.location)
  if (job) {
    const jobBlocks = createJobBlocks(job, resources)
    result.content.push(...jobBlocks)
    getPlainContent(result)?.push(...jobBlocks)
  }
  return { result, job }
}

/** The longest problem in a text, in bytes; the next step and a note have room behind it. */
const maxProblemBytes = maxShownBytes - 4096

/**
 * Creates a failed result: the problem is text for a reader, and the whole problem is in `_meta` for a program. Both
 * are cut at 256 KiB, and say so.
 */
export function createFailureResult(problem: Problem, context: FailureContext): ToolResult {
  const nextStep = describeNextStep(problem, context)
  const { text, end, size } = cutShownText(formatProblem(problem), false, maxProblemBytes)
  const note = end === size ? '' : `\nThe first ${end} of ${size} bytes.`
  return {
    content: [{ type: 'text', text: `${text}${note}\n${showInvisible(nextStep, false)}` }],
    isError: true,
    _meta: { problem: limitProblem(problem) },
  }
}

/** Creates the result of an answer that is too large: a read shows its first part, a change only that it was done. */
function createTooLargeResult(request: ApiRequest, answer: ApiAnswer, options: ToolResultOptions): ToolResult {
  if (request.method === 'GET') {
    const first = { ...answer, bytes: answer.bytes.subarray(0, maxShownBytes) }
    const text = decodeText(answer.mediaType ?? '', first.bytes.subarray(0, getTextEnd(first)))
    return { content: createPartBlocks(request, first, text, options) }
  }
  const text = `Done (${answer.status}). The answer is larger than ${maxAnswerBytes / 1024 / 1024} MiB and is not shown.`
  return { content: [{ type: 'text', text }] }
}

/** Returns the end of the text that can be shown. An incomplete text ends where it can be cut. */
const getTextEnd = (answer: ApiAnswer) =>
  answer.complete ? answer.bytes.length : findTextCut(answer.bytes, answer.bytes.length - 1)

/** Creates a block for each part of the body. A body that is too long gives its first bytes and a link to the rest. */
function createPartBlocks(
  request: ApiRequest,
  answer: ApiAnswer,
  text: string | null,
  options: ToolResultOptions,
): ContentBlock[] {
  const mimeType = answer.mediaType ?? 'application/octet-stream'
  const uri = options.resources.getAddress(request.path)
  const isReadable = options.keptUri !== null || findResource(request, options.resources) !== null
  if (answer.complete && answer.bytes.length > maxShownBytes && isReadable) {
    const first = { ...answer, bytes: answer.bytes.subarray(0, maxShownBytes), complete: false }
    const firstText = decodeText(mimeType, first.bytes.subarray(0, getTextEnd(first)))
    return createPartBlocks(request, first, firstText, options)
  }
  if (answer.complete) {
    const parts = isMultipartMixed(mimeType) ? parseParts(mimeType, answer.bytes) : null
    return parts === null
      ? [toContentBlock(mimeType, answer.bytes, uri)]
      : parts.map((part, index) => toContentBlock(part.mediaType, part.bytes, `${uri}#part=${index + 1}`))
  }
  const end = text === null ? answer.bytes.length : getTextEnd(answer)
  const blob = { uri: uri + formatByteRange(0, end), mimeType, blob: encodeBase64(answer.bytes) }
  const first: ContentBlock = text === null ? { type: 'resource', resource: blob } : createTextBlock(mimeType, text)
  return [
    first,
    { type: 'text', text: `The first ${end} of ${formatSize(answer)} bytes.` },
    ...createRestLinks(request, answer, end, options),
  ]
}

/**
 * Creates the link to what follows after the first `end` bytes of a body. After a change, the link leads to the whole
 * thing that was changed or made, otherwise to the answer that was kept. Returns no link if there is none of these.
 */
function createRestLinks(
  request: ApiRequest,
  answer: ApiAnswer,
  end: number,
  { resources, keptUri }: ToolResultOptions,
): ContentBlock[] {
  if (keptUri !== null) return [createKeptLink(keptUri, answer.mediaType, end, answer.size ?? answer.bytes.length)]
  const read = findResource(request, resources)
  const at = read ?? findChangedResource(request, answer, resources)
  if (at === null) return []
  const uri = read === null ? at.uri : at.uri + formatByteRange(end)
  const what = read === null ? 'The whole, as it is now.' : 'The rest.'
  const description = `${what} Any part can be read: #bytes=<first>-<last>.`
  const mimeType = answer.mediaType ?? at.mimeType
  const size = answer.size === null || read === null ? {} : { size: answer.size - end }
  return [{ type: 'resource_link', uri, name: at.name, description, mimeType, ...size }]
}

function createJobBlocks(job: StartedJob, resources: ResourceIndex): ContentBlock[] {
  const [link] = createJobLinks(job, resources)
  if (!link) return [{ type: 'text', text: `Accepted as job ${job.id}.` }]
  const text = `Accepted as job ${job.id}. Read the resource ${link.uri} until its status is completed or failed.`
  return [{ type: 'text', text }, link]
}

/** Creates the links to a job; none if the document has no resource that reads it. */
export function createJobLinks(
  job: StartedJob,
  resources: ResourceIndex,
): Extract<ContentBlock, { type: 'resource_link' }>[] {
  const at = [job.path, getJobPath(job.id)].map((path) => resources.findByPath(path)).find(Boolean)
  return at ? [{ type: 'resource_link', uri: at.uri, name: at.name, title: at.title, mimeType: at.mimeType }] : []
}

const findResource = ({ method, path }: ApiRequest, resources: ResourceIndex) =>
  method === 'GET' ? resources.findByPath(path) : null

/** Finds the resource that a successful change left behind: at its own path, or where a 201 says that it is. */
function findChangedResource({ method, path }: ApiRequest, { status, location }: ApiAnswer, resources: ResourceIndex) {
  if (status === 201) return location === null ? null : resources.findByPath(location)
  if (method !== 'PATCH' && method !== 'PUT') return null
  return resources.findByPath(path.split('?')[0] ?? path)
}
