import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import {
  listEventPaths,
  isJobOver,
  parseJobState,
  countDoneUnits,
  type JobState,
  type StartedJob,
} from '../../tools/results/jobs.ts'
import { showInvisible } from '../../tools/arguments/show-invisible.ts'
import type { RequestContext } from './request-context.ts'
import { UpstreamError, type Upstream } from './upstream.ts'

/** The progress of a job as MCP reports it. Source: MCP 2025-11-25, progress. */
export interface Progress {
  progress: number
  total?: number
  message: string
}

/** The delay before a broken event stream is opened again, in milliseconds. */
const reopenDelayMs = 500

/** The limits for following a job. */
export interface FollowLimits {
  /** The time at which following ends, in milliseconds of `Date.now()`. */
  readonly deadlineMs: number
  /** Aborted when the bridge stops; the last known state is then the result. */
  readonly stopSignal: AbortSignal
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal
}

/**
 * Follows a job's event stream until the job is over or the deadline has passed, and reports each progress.
 * @returns the last state that was seen; null if the API sent none
 */
export async function followJob(
  upstream: Upstream,
  job: StartedJob,
  context: RequestContext,
  { deadlineMs, stopSignal, signal }: FollowLimits,
  notifyProgress: (progress: Progress) => Promise<void>,
): Promise<JobState | null> {
  const endSignal = AbortSignal.any([AbortSignal.timeout(Math.max(0, deadlineMs - Date.now())), stopSignal])
  const anySignal = AbortSignal.any([signal, endSignal])
  let last: JobState | null = null
  let notifiedUnits = -1
  const handleState = async (state: JobState) => {
    last = state
    if (countDoneUnits(state) <= notifiedUnits) return
    notifiedUnits = countDoneUnits(state)
    await notifyProgress({
      progress: notifiedUnits,
      ...(state.total === null ? {} : { total: state.total }),
      message: showInvisible(`${state.type} job ${state.status}`, false),
    })
  }
  try {
    while (!(last && isJobOver(last)) && (await followEventStream(upstream, job, context, anySignal, handleState)))
      await sleep(reopenDelayMs, undefined, { signal: anySignal })
  } catch (cause) {
    if (signal.aborted || !endSignal.aborted) throw cause
  }
  return last
}

/** Returns true if there was a stream and it ended before the job did. */
async function followEventStream(
  upstream: Upstream,
  job: StartedJob,
  context: RequestContext,
  signal: AbortSignal,
  handleState: (state: JobState) => Promise<void>,
): Promise<boolean> {
  for (const path of listEventPaths(job)) {
    const chunks = await upstream.openEventStream(path, context, signal)
    if (chunks) return !(await handleEvents(chunks, handleState))
  }
  return false
}

/** Returns true if a terminal state was seen. A broken connection counts as the end of the stream. */
async function handleEvents(
  chunks: AsyncIterable<Uint8Array>,
  handleState: (state: JobState) => Promise<void>,
): Promise<boolean> {
  const states: JobState[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      const state = parseJobState(data)
      if (state) states.push(state)
    },
  })
  const decoder = new TextDecoder()
  try {
    for await (const chunk of chunks) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      for (const state of states.splice(0)) {
        await handleState(state)
        if (isJobOver(state)) return true
      }
    }
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause
  }
  return false
}
