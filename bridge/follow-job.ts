import { setTimeout as sleep } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { eventPaths, isOver, jobState, unitsDone, type JobState, type StartedJob } from '../tools/jobs.ts'
import type { Exchange } from './exchange.ts'
import { UpstreamError, type Upstream } from './forward.ts'

/** Progress of a job as MCP counts it. Source: MCP 2025-11-25, progress. */
export interface Progress {
  progress: number
  total?: number
  message: string
}

/** Pause before an event stream that broke is opened again, in milliseconds. */
const reopenAfter = 500

/** How long a job is followed. */
export interface Until {
  /** Milliseconds of `Date.now()`. */
  readonly deadline: number
  /** Aborted when the bridge stops: what is known by then is the answer. */
  readonly ending: AbortSignal
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

/**
 * Follows a job's event stream until the job is over or the deadline has passed, and tells each step forward.
 * @returns the last state seen; null where the API showed none.
 */
export async function followJob(
  upstream: Upstream,
  job: StartedJob,
  exchange: Exchange,
  { deadline, ending, signal }: Until,
  tell: (progress: Progress) => Promise<void>,
): Promise<JobState | null> {
  const time = AbortSignal.any([AbortSignal.timeout(Math.max(0, deadline - Date.now())), ending])
  const either = AbortSignal.any([signal, time])
  let last: JobState | null = null
  let told = -1
  const step = async (state: JobState) => {
    last = state
    if (unitsDone(state) <= told) return
    told = unitsDone(state)
    await tell({
      progress: told,
      ...(state.total === null ? {} : { total: state.total }),
      message: `${state.type} job ${state.status}`,
    })
  }
  try {
    while (!(last && isOver(last)) && (await readOnce(upstream, job, exchange, either, step)))
      await sleep(reopenAfter, undefined, { signal: either })
  } catch (cause) {
    if (signal.aborted || !time.aborted) throw cause
  }
  return last
}

/** True where the stream was there but ended before the job did. */
async function readOnce(
  upstream: Upstream,
  job: StartedJob,
  exchange: Exchange,
  signal: AbortSignal,
  step: (state: JobState) => Promise<void>,
): Promise<boolean> {
  for (const path of eventPaths(job)) {
    const chunks = await upstream.events(path, exchange, signal)
    if (chunks) return !(await readEvents(chunks, step))
  }
  return false
}

/** True when a terminal state was seen. A broken connection ends the stream like the API would. */
async function readEvents(
  chunks: AsyncIterable<Uint8Array>,
  step: (state: JobState) => Promise<void>,
): Promise<boolean> {
  const states: JobState[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      const state = jobState(data)
      if (state) states.push(state)
    },
  })
  const decoder = new TextDecoder()
  try {
    for await (const chunk of chunks) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      for (const state of states.splice(0)) {
        await step(state)
        if (isOver(state)) return true
      }
    }
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause
  }
  return false
}
