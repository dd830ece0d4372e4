import { toPlainText } from '../arguments/query.ts'
import { parseExactJson } from '../json.ts'
import { isRecord, type Schema } from '../openapi.ts'

/** A job that an answer of the API named. `path` is its status route. */
export interface StartedJob {
  readonly id: string
  readonly path: string
}

/** The state of a job, as its event stream reports it. */
export interface JobState {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly total: number | null
  readonly completed: number
  readonly failed: number
  readonly result: unknown
  readonly errors: readonly unknown[]
  /** An ISO 8601 time; null if the API does not state it. */
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** The state as the API wrote it. */
  readonly source: Schema
}

/**
 * Parses the job that an answer started; null if there is none.
 * @param locationPath the path of the Location header, if any
 */
export function parseStartedJob(status: number, body: unknown, locationPath: string | null): StartedJob | null {
  if (status !== 202 || !isRecord(body) || typeof body['jobId'] !== 'string') return null
  const id = body['jobId']
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return null
  return { id, path: locationPath ?? getJobPath(id) }
}

export const getJobPath = (id: string) => `/v1/jobs/${id}`

/** Lists the paths where the job's events may be read, the most specific first. */
export const listEventPaths = ({ id, path }: StartedJob) => [...new Set([`${path}/sse`, `${getJobPath(id)}/sse`])]

/** Parses the data of one event; null if it is not a job. */
export function parseJobState(data: string): JobState | null {
  const value = parseExactJson(data)
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
    createdAt: parseTime(value['createdAt']),
    updatedAt: parseTime(value['updatedAt']),
    source: value,
  }
}

export const isJobOver = ({ status }: JobState) => status === 'completed' || status === 'failed'

/** Counts the units that are done, successful or failed. */
export const countDoneUnits = ({ completed, failed }: JobState) => completed + failed

/** Formats the progress of a job in words. */
export const formatDoneUnits = ({ total, completed, failed }: JobState) =>
  `${completed}${total === null ? '' : ` of ${total}`} done, ${failed} failed`

/** The longest result of a job that is shown, in characters of JSON. */
const maxResultLength = 4096

/** Formats the last known state of a job for a reader. The JSON of an ended job follows, so its result is left out. */
export function formatJobState(state: JobState): string {
  const { id, type, status, errors } = state
  const errorMembers = ['line', 'path', 'code', 'message']
  const lines = errors
    .filter(isRecord)
    .slice(0, 10)
    .map((error) => {
      const words = errorMembers.filter((name) => error[name] !== undefined).map((name) => toPlainText(error[name]))
      return `- ${words.join(' ')}`
    })
  const head = `The ${type} job ${id} is ${status}: ${formatDoneUnits(state)}.`
  return [head, ...lines, ...(isJobOver(state) ? [] : formatResultLines(state))].join('\n')
}

function formatResultLines({ result }: JobState): string[] {
  if (result === null) return []
  const text = JSON.stringify(result)
  return [text.length > maxResultLength ? 'Its result is long; read the job.' : `Result: ${text}`]
}

/** The longest result of an ended job that its summary repeats, in characters of JSON. */
const maxRepeatedLength = 200

/** Formats the result of an ended job where it is short enough to be repeated beside its JSON. */
export function formatShortResult(state: JobState): string[] {
  const { result } = state
  return result !== null && JSON.stringify(result).length <= maxRepeatedLength ? formatResultLines(state) : []
}

const parseTime = (value: unknown) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null)
