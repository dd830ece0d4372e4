import { blockOf, shownText, textIn, type Block } from './blocks.ts'
import { isJson } from './body.ts'
import { jobPath, startedJob, type StartedJob } from './jobs.ts'
import { nextStep, type Circumstances } from './next-step.ts'
import { isMixed, partsOf } from './multipart.ts'
import { parsedJson } from './json.ts'
import { isRecord } from './openapi.ts'
import { keepStructure } from './structure.ts'
import { base64, cutText, rangeOf, shownPart, sizeText, utf8 } from './parts.ts'
import { problemOf, problemText, type Problem } from './problems.ts'
import type { ApiAnswer, ApiRequest, Window } from './request.ts'
import type { ResourceIndex } from './resources.ts'
import { visible } from './visible.ts'

export type { Block }

/** A result of `tools/call`. Source: MCP 2025-11-25, tools. */
export interface ToolResult {
  content: Block[]
  structuredContent?: unknown
  isError?: true
  _meta?: Record<string, unknown>
  [member: string]: unknown
}

/** The most of an answer that becomes a result, in bytes. */
const mostBytes = 8 * 1024 * 1024
const readable: Window = { from: 0, to: mostBytes }
const beginning: Window = { from: 0, to: shownPart }

/** How much of an answer to read: the first part where a link can lead to the rest, and JSON as a whole if it fits. */
export function windowFor(request: ApiRequest, resources: ResourceIndex) {
  return (status: number, mediaType: string | null): Window =>
    status < 300 && !isJson(mediaType ?? '') && resourceAt(request, resources) !== null ? beginning : readable
}

/**
 * The result of a call that the API answered, and the job it started.
 * @param wraps structured content that is no object stands under `result`
 */
export function toolResult(
  request: ApiRequest,
  answer: ApiAnswer,
  resources: ResourceIndex,
  wraps = true,
): { result: ToolResult; job: StartedJob | null } {
  if (answer.status < 200 || answer.status >= 300) {
    const list = answer.status === 404 ? resources.listAbove(request.path) : null
    const around = { writes: request.method !== 'GET', list, retryAfter: answer.retryAfter }
    return { result: failure(problemOf(answer), around), job: null }
  }
  const mediaType = answer.mediaType ?? ''
  if (answer.bytes.length === 0 && answer.complete)
    return { result: { content: [{ type: 'text', text: `Done (${answer.status}).` }] }, job: null }
  if (answer.bytes.length > shownPart && !answer.complete) return { result: tooLarge(request, answer, resources), job: null }
  const text = textIn(mediaType, answer.bytes.subarray(0, textEnd(answer)))
  const body = isJson(mediaType) && text !== null ? parsedJson(text) : undefined
  if (body !== undefined && text !== null) return jsonResult(request, answer, text, body, resources, wraps)
  return { result: { content: partBlocks(request, answer, text, resources) }, job: null }
}

/** `{content, isError}` with the problem for a reader, and whole for a program. */
export function failure(problem: Problem, around: Circumstances): ToolResult {
  return {
    content: [{ type: 'text', text: visible(`${problemText(problem)}\n${nextStep(problem, around)}`, false) }],
    isError: true,
    _meta: { problem },
  }
}

/** What was read is shown by its first part; of what was done it is said that it was. */
function tooLarge(request: ApiRequest, answer: ApiAnswer, resources: ResourceIndex): ToolResult {
  if (request.method === 'GET') {
    const first = { ...answer, bytes: answer.bytes.subarray(0, shownPart) }
    const text = textIn(answer.mediaType ?? '', first.bytes.subarray(0, textEnd(first)))
    return { content: partBlocks(request, first, text, resources) }
  }
  const text = `Done (${answer.status}). The answer is larger than ${mostBytes / 1024 / 1024} MiB and is not shown.`
  return { content: [{ type: 'text', text }] }
}

/** Everything that is there; of an incomplete text, up to a place where it can be cut. */
const textEnd = (answer: ApiAnswer) =>
  answer.complete ? answer.bytes.length : cutText(answer.bytes, answer.bytes.length - 1)

function jsonResult(
  request: ApiRequest,
  answer: ApiAnswer,
  text: string,
  body: unknown,
  resources: ResourceIndex,
  wraps: boolean,
) {
  const structuredContent = wraps && !isRecord(body) ? { result: body } : body
  const content: Block[] = [{ type: 'text', text: visible(text, true) }]
  if (answer.bytes.length > shownPart) {
    const end = cutText(answer.bytes, shownPart)
    const note = `The first ${end} of ${answer.bytes.length} bytes; the whole is in structuredContent.`
    content.splice(
      0,
      1,
      { type: 'text', text: visible(utf8(answer.bytes.subarray(0, end)) ?? '', true) },
      { type: 'text', text: note },
      ...restLink(request, answer, end, resources),
    )
  }
  const job = startedJob(answer.status, body, answer.location)
  if (job) content.push(...jobBlocks(job, resources))
  const result: ToolResult = { content, structuredContent }
  if (structuredContent === body) keepStructure(result, text)
  return { result, job }
}

/** A block for each part of the body; of what is too long its first bytes and a link to the rest. */
function partBlocks(request: ApiRequest, answer: ApiAnswer, text: string | null, resources: ResourceIndex): Block[] {
  const mimeType = answer.mediaType ?? 'application/octet-stream'
  const uri = resources.addressOf(request.path)
  if (answer.complete) {
    const parts = isMixed(mimeType) ? partsOf(mimeType, answer.bytes) : null
    return parts === null
      ? [blockOf(mimeType, answer.bytes, uri)]
      : parts.map((part, index) => blockOf(part.mediaType, part.bytes, `${uri}#part=${index + 1}`))
  }
  const end = text === null ? answer.bytes.length : textEnd(answer)
  const blob = { uri: uri + rangeOf(0, end), mimeType, blob: base64(answer.bytes) }
  const first: Block = text === null ? { type: 'resource', resource: blob } : shownText(mimeType, text)
  return [
    first,
    { type: 'text', text: `The first ${end} of ${sizeText(answer)} bytes.` },
    ...restLink(request, answer, end, resources),
  ]
}

function restLink(request: ApiRequest, answer: ApiAnswer, end: number, resources: ResourceIndex): Block[] {
  const at = resourceAt(request, resources)
  if (at === null) return []
  const description = 'The rest. Any part can be read: #bytes=<first>-<last>.'
  const size = answer.size === null ? {} : { size: answer.size - end }
  return [
    {
      type: 'resource_link',
      uri: at.uri + rangeOf(end),
      name: at.name,
      description,
      mimeType: answer.mediaType ?? at.mimeType,
      ...size,
    },
  ]
}

function jobBlocks(job: StartedJob, resources: ResourceIndex): Block[] {
  const [link] = jobLink(job, resources)
  if (!link) return [{ type: 'text', text: `Accepted as job ${job.id}.` }]
  const text = `Accepted as job ${job.id}. Read the resource ${link.uri} until its status is completed or failed.`
  return [{ type: 'text', text }, link]
}

/** Where a job can be read; none where the document shows no such resource. */
export function jobLink(job: StartedJob, resources: ResourceIndex): Extract<Block, { type: 'resource_link' }>[] {
  const at = [job.path, jobPath(job.id)].map((path) => resources.at(path)).find(Boolean)
  return at ? [{ type: 'resource_link', uri: at.uri, name: at.name, title: at.title, mimeType: at.mimeType }] : []
}

const resourceAt = ({ method, path }: ApiRequest, resources: ResourceIndex) =>
  method === 'GET' ? resources.at(path) : null
