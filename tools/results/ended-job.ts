import { showInvisible } from '../arguments/show-invisible.ts'
import type { ResourceIndex } from '../catalogue/resources.ts'
import { isRecord, type Schema } from '../openapi.ts'
import { formatJobState, formatShortResult, type JobState, type StartedJob } from './jobs.ts'
import { createKeptLink } from '../own/kept-answer.ts'
import { putJsonBody, type JsonBody } from './json-result.ts'
import { createJobLinks, type ToolResult } from './results.ts'
import type { SecretPlaces } from './secrets.ts'
import { maxShownBytes } from './text-parts.ts'

export interface EndedJobOptions {
  readonly resources: ResourceIndex
  readonly secrets: SecretPlaces | null
  /** The address at which the body is kept; null if it is not. */
  readonly keptUri: string | null
}

/**
 * Creates the body that says what a call started and how its job ended.
 * @param started the body of the answer that named the job; undefined if it is not known any more
 * @param reread what the resource of the started thing says after the job has ended, in place of `started`; null if it
 *   was not read
 */
export function createEndedJobBody(
  started: unknown,
  job: StartedJob,
  state: JobState,
  reread: Schema | null,
): JsonBody {
  const value = joinEndedJob(isRecord(started) ? started : { jobId: job.id }, job, state, reread)
  return { text: JSON.stringify(value), value }
}

/** Returns whether a result leaves out a part of the body that no resource reads, so that it has to be kept. */
export const mustEndedJobBeKept = ({ text }: JsonBody, job: StartedJob, resources: ResourceIndex): boolean =>
  Buffer.byteLength(text) > maxShownBytes && createJobLinks(job, resources).length === 0

/**
 * Shows a job that ended in time in the result of the call that started it: text and structured content have the final
 * state, with result and errors. A failed job makes the call a failed call. The link to the job stays.
 * @param body made by `createEndedJobBody`
 */
export function showEndedJob(
  result: ToolResult,
  body: JsonBody,
  job: StartedJob,
  state: JobState,
  { resources, secrets, keptUri }: EndedJobOptions,
): void {
  const jobLinks = createJobLinks(job, resources)
  // What is cut off can be read by the link to the job, which stands at the end of every result.
  const createRestLinks = (end: number) =>
    keptUri === null ? jobLinks : [createKeptLink(keptUri, 'application/json', end, Buffer.byteLength(body.text))]
  putJsonBody(result, body, { wrapsStructure: false, secrets, createRestLinks })
  // Some clients show the first block only.
  const summary = [formatJobState(state), ...(secrets === null ? formatShortResult(state) : [])].join('\n')
  const sentence = { type: 'text', text: showInvisible(summary, false) } as const
  const shown = keptUri === null ? result.content.filter((block) => block.type !== 'resource_link') : result.content
  result.content = [sentence, ...shown, ...jobLinks]
  if (state.status === 'failed') result.isError = true
}

/**
 * Joins the body of a 202 with the state of the job as it ended. A body that has an `id` of its own describes another
 * thing, such as a campaign, whose members could have the names of the job's; the job then stands under `job`.
 */
function joinEndedJob(started: Schema, { id }: StartedJob, { source }: JobState, reread: Schema | null): Schema {
  const isJob = started['id'] === undefined || started['id'] === id
  return isJob ? { ...started, ...source, ...reread } : { ...started, ...reread, job: source }
}
