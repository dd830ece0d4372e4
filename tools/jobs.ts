import { parsedJson } from './json.ts'
import { isRecord } from './openapi.ts'

/** A job that an answer named. `path` is its status route. */
export interface StartedJob {
  readonly id: string
  readonly path: string
}

/** How far a job is, as its event stream says it. */
export interface JobState {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly total: number | null
  readonly completed: number
  readonly failed: number
  readonly result: unknown
  readonly errors: readonly unknown[]
  /** ISO 8601; null where the API does not say. */
  readonly createdAt: string | null
  readonly updatedAt: string | null
}

/** @param locationPath path of the Location header, when there was one. */
export function startedJob(status: number, body: unknown, locationPath: string | null): StartedJob | null {
  if (status !== 202 || !isRecord(body) || typeof body['jobId'] !== 'string') return null
  const id = body['jobId']
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return null
  return { id, path: locationPath ?? jobPath(id) }
}

export const jobPath = (id: string) => `/v1/jobs/${id}`

/** Where the job's events may be read, the nearest first. */
export const eventPaths = ({ id, path }: StartedJob) => [...new Set([`${path}/sse`, `${jobPath(id)}/sse`])]

/** One event's data; null where it is no job. */
export function jobState(data: string): JobState | null {
  const value = parsedJson(data)
  if (!isRecord(value) || typeof value['status'] !== 'string') return null
  const number = (name: string) => (typeof value[name] === 'number' ? value[name] : 0)
  return {
    id: String(value['id']),
    type: String(value['type']),
    status: value['status'],
    total: typeof value['total'] === 'number' && value['total'] > 0 ? value['total'] : null,
    completed: number('completed'),
    failed: number('failed'),
    result: value['result'] ?? null,
    errors: Array.isArray(value['errors']) ? value['errors'] : [],
    createdAt: time(value['createdAt']),
    updatedAt: time(value['updatedAt']),
  }
}

export const isOver = ({ status }: JobState) => status === 'completed' || status === 'failed'

/** Units that are through, well or not. */
export const unitsDone = ({ completed, failed }: JobState) => completed + failed

/** What is through of a job, in words. */
export const unitsText = ({ total, completed, failed }: JobState) =>
  `${completed}${total === null ? '' : ` of ${total}`} done, ${failed} failed`

/** The most of a job's result that is shown, in characters of JSON. */
const mostShown = 4096

/** The last known state of a job, for a reader. */
export function jobText(state: JobState): string {
  const { id, type, status, errors } = state
  const told = ['line', 'path', 'code', 'message']
  const lines = errors
    .filter(isRecord)
    .slice(0, 10)
    .map((error) => {
      const words = told.filter((name) => error[name] !== undefined).map((name) => String(error[name]))
      return `- ${words.join(' ')}`
    })
  return [`The ${type} job ${id} is ${status}: ${unitsText(state)}.`, ...lines, ...resultLines(state)].join('\n')
}

function resultLines({ result }: JobState): string[] {
  if (result === null) return []
  const text = JSON.stringify(result)
  return [text.length > mostShown ? 'Its result is long; read the job.' : `Result: ${text}`]
}

const time = (value: unknown) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null)
