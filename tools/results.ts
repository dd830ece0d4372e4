import { isJson, isText } from './body.ts'
import { jobPath, startedJob, type StartedJob } from './jobs.ts'
import { nextStep, type Circumstances } from './next-step.ts'
import { isRecord } from './openapi.ts'
import { base64, cutText, rangeOf, saysUtf8, shownPart, sizeText, utf8 } from './parts.ts'
import { problemOf, problemText, type Problem } from './problems.ts'
import type { ApiAnswer, ApiRequest, Window } from './request.ts'
import type { ResourceIndex } from './resources.ts'

export type Block =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  | {
      type: 'resource_link'
      uri: string
      name: string
      title?: string
      description?: string
      mimeType?: string
      size?: number
    }

/** A result of `tools/call`. Source: MCP 2025-11-25, tools. */
export interface ToolResult {
  content: Block[]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
  [member: string]: unknown
}

const whole: Window = { from: 0, to: Infinity }

/** How much of an answer to read: the first part where a link can lead to the rest, and JSON always as a whole. */
export function windowFor(request: ApiRequest, resources: ResourceIndex) {
  const linked = resourceAt(request, resources) !== null
  return (status: number, mediaType: string | null): Window =>
    linked && status < 300 && !isJson(mediaType ?? '') ? { from: 0, to: shownPart } : whole
}

/** The result of a call that the API answered, and the job it started. */
export function toolResult(
  request: ApiRequest,
  answer: ApiAnswer,
  resources: ResourceIndex,
): { result: ToolResult; job: StartedJob | null } {
  if (answer.status < 200 || answer.status >= 300) {
    const list = answer.status === 404 ? resources.listAbove(request.path) : null
    const around = { writes: request.method !== 'GET', list, retryAfter: answer.retryAfter }
    return { result: failure(problemOf(answer), around), job: null }
  }
  const mediaType = answer.mediaType ?? ''
  if (answer.bytes.length === 0 && answer.complete)
    return { result: { content: [{ type: 'text', text: `Done (${answer.status}).` }] }, job: null }
  const text = isText(mediaType) && saysUtf8(mediaType) ? utf8(answer.bytes.subarray(0, textEnd(answer))) : null
  const body = isJson(mediaType) && text !== null ? json(text) : undefined
  if (body !== undefined && text !== null) return jsonResult(request, answer, text, body, resources)
  return { result: { content: partBlocks(request, answer, text, resources) }, job: null }
}

/** `{content, isError}` with the problem for a reader, and whole for a program. */
export function failure(problem: Problem, around: Circumstances): ToolResult {
  return {
    content: [{ type: 'text', text: `${problemText(problem)}\n${nextStep(problem, around)}` }],
    isError: true,
    _meta: { problem },
  }
}

/** Everything that is there; of an incomplete text, up to a place where it can be cut. */
const textEnd = (answer: ApiAnswer) =>
  answer.complete ? answer.bytes.length : cutText(answer.bytes, answer.bytes.length - 1)

function jsonResult(request: ApiRequest, answer: ApiAnswer, text: string, body: unknown, resources: ResourceIndex) {
  const structuredContent = isRecord(body) ? body : { result: body }
  const content: Block[] = [{ type: 'text', text }]
  if (answer.bytes.length > shownPart) {
    const end = cutText(answer.bytes, shownPart)
    const note = `The first ${end} of ${answer.bytes.length} bytes; the whole is in structuredContent.`
    content.splice(
      0,
      1,
      { type: 'text', text: utf8(answer.bytes.subarray(0, end)) ?? '' },
      { type: 'text', text: note },
      ...restLink(request, answer, end, resources),
    )
  }
  const job = startedJob(answer.status, body, answer.location)
  if (job) content.push(...jobBlocks(job, resources))
  return { result: { content, structuredContent }, job }
}

/** Text as text, images as images, other bytes as a blob; what is too long by its first part and a link to the rest. */
function partBlocks(request: ApiRequest, answer: ApiAnswer, text: string | null, resources: ResourceIndex): Block[] {
  const mimeType = answer.mediaType ?? 'application/octet-stream'
  const uri = resources.addressOf(request.path)
  const isImage = /^image\//i.test(mimeType)
  if (answer.complete) {
    if (isImage) return [{ type: 'image', data: base64(answer.bytes), mimeType }]
    return [
      text === null
        ? { type: 'resource', resource: { uri, mimeType, blob: base64(answer.bytes) } }
        : { type: 'text', text },
    ]
  }
  const end = text === null ? answer.bytes.length : textEnd(answer)
  const blob = { uri: uri + rangeOf(0, end), mimeType, blob: base64(answer.bytes) }
  const first: Block = text === null ? { type: 'resource', resource: blob } : { type: 'text', text }
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
  for (const path of [job.path, jobPath(job.id)]) {
    const at = resources.at(path)
    if (at) {
      const text = `Accepted as job ${job.id}. Read the resource ${at.uri} until its status is completed or failed.`
      return [
        { type: 'text', text },
        { type: 'resource_link', uri: at.uri, name: at.name, title: at.title, mimeType: at.mimeType },
      ]
    }
  }
  return [{ type: 'text', text: `Accepted as job ${job.id}.` }]
}

const resourceAt = ({ method, path }: ApiRequest, resources: ResourceIndex) =>
  method === 'GET' ? resources.at(path) : null

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
