import { PassThrough } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { StateSource } from '../../kernel/answer.ts'
import { createNotFoundProblem, createProblem } from '../../kernel/problem.ts'

/**
 * Milliseconds between two comment lines, which keep proxies from closing an idle stream; proxies need one every 15 s.
 */
export const heartbeatIntervalMs = 12_000

/** Number of bytes that may wait for a slow client. Above it, states are merged. */
const maxBufferedBytes = 64 * 1024

const openStreamSet = new Set<PassThrough>()
let heartbeatTimer: NodeJS.Timeout | null = null

/** Returns the number of open streams, for the metrics. */
export const countOpenStreams = (): number => openStreamSet.size

/** Ends all streams when the process stops. Browsers reconnect by themselves. */
export function endEventStreams(): void {
  for (const stream of openStreamSet) stream.end()
}

/** Checks that the client accepts an event stream. @throws NOT_ACCEPTABLE if it does not */
export function assertAcceptsEvents(ctx: KoaContext): void {
  if (!ctx.request.accepts('text/event-stream')) {
    throw createProblem('NOT_ACCEPTABLE', 'This route answers text/event-stream only.')
  }
}

/**
 * Streams one state: the present value at once, and then each change until the state is terminal. If changes come
 * faster than the client reads, only the newest state is sent. Source: WHATWG HTML, section 9.2.
 * @param onFailure gets the reason why a stream broke off; the client reconnects by itself
 * @returns the stream, or null for HEAD and for a client that already has the terminal state
 * @throws NOT_FOUND if there is no such state
 */
export async function streamEvents(
  ctx: KoaContext,
  source: StateSource,
  onFailure: (cause: unknown) => void,
): Promise<PassThrough | null> {
  const first = await source.read()
  if (!first) throw createNotFoundProblem()
  if (first.isTerminal && ctx.request.get('last-event-id') === String(first.version)) {
    ctx.status = 204
    return null
  }
  ctx.status = 200
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
  if (ctx.method === 'HEAD') {
    ctx.set(headers)
    return null
  }
  const stream = new PassThrough({ highWaterMark: maxBufferedBytes })
  ctx.body = stream
  ctx.set(headers)
  registerStream(stream)
  followState(stream, source, first, onFailure)
  return stream
}

function registerStream(stream: PassThrough): void {
  openStreamSet.add(stream)
  stream.once('close', () => {
    openStreamSet.delete(stream)
    if (openStreamSet.size > 0 || !heartbeatTimer) return
    clearInterval(heartbeatTimer)
    heartbeatTimer = null
  })
  heartbeatTimer ??= setInterval(() => {
    for (const one of openStreamSet) if (one.writable && !one.writableNeedDrain) one.write(':\n\n')
  }, heartbeatIntervalMs).unref()
}

type StreamState = Awaited<ReturnType<StateSource['read']>>

function followState(
  stream: PassThrough,
  source: StateSource,
  first: StreamState,
  onFailure: (cause: unknown) => void,
): void {
  let sentVersion = -1
  let isReading = false
  let mustReadAgain = false
  const send = (state: StreamState) => {
    if (!state) return void stream.end()
    if (state.version > sentVersion) {
      sentVersion = state.version
      stream.write(`id: ${state.version}\ndata: ${JSON.stringify(state.value)}\n\n`)
    }
    if (state.isTerminal) stream.end()
  }
  const read = async () => {
    if (isReading || stream.writableNeedDrain) return void (mustReadAgain = true)
    isReading = true
    do {
      mustReadAgain = false
      const state = await source.read()
      if (!stream.writable) return
      send(state)
    } while (mustReadAgain && stream.writable)
    isReading = false
  }
  const startReading = () =>
    void read().catch((cause: unknown) => {
      onFailure(cause)
      stream.destroy()
    })
  const stop = source.subscribe(startReading)
  stream.on('drain', () => {
    if (mustReadAgain) startReading()
  })
  stream.once('close', stop)
  send(first)
  // Reads once more, because a change between the first read and the subscription would otherwise be missed.
  startReading()
}
