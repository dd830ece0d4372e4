import { toContentBlock, createTextBlock, decodeText, type ContentBlock } from './blocks.ts'
import { isJson } from '../arguments/body-form.ts'
import { getJobPath, parseStartedJob, type StartedJob } from './jobs.ts'
import { describeNextStep, type FailureContext } from './next-step.ts'
import { isMultipartMixed, parseParts } from './multipart.ts'
import { parseJson } from '../json.ts'
import { isRecord } from '../openapi.ts'
import { setStructureText } from './structure-texts.ts'
import { encodeBase64, findTextCut, formatByteRange, maxShownBytes, formatSize, decodeUtf8 } from './text-parts.ts'
import { toProblem, formatProblem, type Problem } from './problems.ts'
import type { ApiAnswer, ApiRequest, ByteRange } from './api-request.ts'
import type { ResourceIndex } from '../catalogue/resources.ts'
import { showInvisible } from '../arguments/show-invisible.ts'

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

/**
 * Creates the result of a call that the API answered, and finds the job that it started.
 * @param wrapsStructure whether structured content that is not an object is put under `result`
 */
export function createToolResult(
  request: ApiRequest,
  answer: ApiAnswer,
  resources: ResourceIndex,
  wrapsStructure = true,
): { result: ToolResult; job: StartedJob | null } {
  if (answer.status < 200 || answer.status >= 300) {
    const list = answer.status === 404 ? resources.findListAbove(request.path) : null
    const failureContext = { writes: request.method !== 'GET', list, retryAfter: answer.retryAfter }
    return { result: createFailureResult(toProblem(answer), failureContext), job: null }
  }
  const mediaType = answer.mediaType ?? ''
  if (answer.bytes.length === 0 && answer.complete)
    return { result: { content: [{ type: 'text', text: `Done (${answer.status}).` }] }, job: null }
  if (answer.bytes.length > maxShownBytes && !answer.complete)
    return { result: createTooLargeResult(request, answer, resources), job: null }
  const text = decodeText(mediaType, answer.bytes.subarray(0, getTextEnd(answer)))
  const body = isJson(mediaType) && text !== null ? parseJson(text) : undefined
  if (body !== undefined && text !== null)
    return createJsonResult(request, answer, { text, body }, resources, wrapsStructure)
  return { result: { content: createPartBlocks(request, answer, text, resources) }, job: null }
}

/** Creates a failed result: the problem is text for a reader, and the whole problem is in `_meta` for a program. */
export function createFailureResult(problem: Problem, context: FailureContext): ToolResult {
  return {
    content: [
      { type: 'text', text: showInvisible(`${formatProblem(problem)}\n${describeNextStep(problem, context)}`, false) },
    ],
    isError: true,
    _meta: { problem },
  }
}

/** Creates the result of an answer that is too large: a read shows its first part, a change only that it was done. */
function createTooLargeResult(request: ApiRequest, answer: ApiAnswer, resources: ResourceIndex): ToolResult {
  if (request.method === 'GET') {
    const first = { ...answer, bytes: answer.bytes.subarray(0, maxShownBytes) }
    const text = decodeText(answer.mediaType ?? '', first.bytes.subarray(0, getTextEnd(first)))
    return { content: createPartBlocks(request, first, text, resources) }
  }
  const text = `Done (${answer.status}). The answer is larger than ${maxAnswerBytes / 1024 / 1024} MiB and is not shown.`
  return { content: [{ type: 'text', text }] }
}

/** Returns the end of the text that can be shown. An incomplete text ends where it can be cut. */
const getTextEnd = (answer: ApiAnswer) =>
  answer.complete ? answer.bytes.length : findTextCut(answer.bytes, answer.bytes.length - 1)

function createJsonResult(
  request: ApiRequest,
  answer: ApiAnswer,
  { text, body }: { text: string; body: unknown },
  resources: ResourceIndex,
  wrapsStructure: boolean,
) {
  const structuredContent = wrapsStructure && !isRecord(body) ? { result: body } : body
  const content: ContentBlock[] = [{ type: 'text', text: showInvisible(text, true) }]
  if (answer.bytes.length > maxShownBytes) {
    const end = findTextCut(answer.bytes, maxShownBytes)
    const note = `The first ${end} of ${answer.bytes.length} bytes; the whole is in structuredContent.`
    content.splice(
      0,
      1,
      { type: 'text', text: showInvisible(decodeUtf8(answer.bytes.subarray(0, end)) ?? '', true) },
      { type: 'text', text: note },
      ...createRestLinks(request, answer, end, resources),
    )
  }
  const job = parseStartedJob(answer.status, body, answer.location)
  if (job) content.push(...createJobBlocks(job, resources))
  const result: ToolResult = { content, structuredContent }
  if (structuredContent === body) setStructureText(result, text)
  return { result, job }
}

/** Creates a block for each part of the body. A body that is too long gives its first bytes and a link to the rest. */
function createPartBlocks(
  request: ApiRequest,
  answer: ApiAnswer,
  text: string | null,
  resources: ResourceIndex,
): ContentBlock[] {
  const mimeType = answer.mediaType ?? 'application/octet-stream'
  const uri = resources.getAddress(request.path)
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
    ...createRestLinks(request, answer, end, resources),
  ]
}

function createRestLinks(
  request: ApiRequest,
  answer: ApiAnswer,
  end: number,
  resources: ResourceIndex,
): ContentBlock[] {
  const at = findResource(request, resources)
  if (at === null) return []
  const description = 'The rest. Any part can be read: #bytes=<first>-<last>.'
  const size = answer.size === null ? {} : { size: answer.size - end }
  return [
    {
      type: 'resource_link',
      uri: at.uri + formatByteRange(end),
      name: at.name,
      description,
      mimeType: answer.mediaType ?? at.mimeType,
      ...size,
    },
  ]
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
