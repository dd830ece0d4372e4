import { PassThrough } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { EventSource } from '../kernel/answer.ts'
import { notFound, problem } from '../kernel/problem.ts'

/** Milliseconds between two comment lines, which keep proxies from closing a quiet stream: at least one every 15 s. */
export const heartbeat = 12_000

/** Bytes that wait for a slow reader before its states are joined. */
const waiting = 64 * 1024

const open = new Set<PassThrough>()
let timer: NodeJS.Timeout | null = null

/** How many streams are open, for the metrics. */
export const openStreams = (): number => open.size

/** Ends every stream, when the process stops: browsers come back by themselves. */
export function endStreams(): void {
  for (const stream of open) stream.end()
}

/** @throws NOT_ACCEPTABLE unless the caller takes an event stream */
export function checkAccept(ctx: KoaContext): void {
  if (!ctx.request.accepts('text/event-stream')) {
    throw problem('NOT_ACCEPTABLE', 'This route answers text/event-stream only.')
  }
}

/**
 * Writes one state as it changes: the present one at once, then each change, until it is terminal. Changes that come
 * faster than the reader reads are joined: only the newest state is sent. Source: WHATWG HTML, section 9.2.
 * @param failed hears why a stream was broken off; the reader comes back by itself
 * @returns the stream, or null where there is nothing to follow
 */
export async function streamEvents(
  ctx: KoaContext,
  source: EventSource,
  failed: (cause: unknown) => void,
): Promise<PassThrough | null> {
  const first = await source.read()
  if (!first) throw notFound()
  if (first.terminal && ctx.request.get('last-event-id') === String(first.version)) {
    ctx.status = 204
    return null
  }
  ctx.status = 200
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
  if (ctx.method === 'HEAD') {
    ctx.set(headers)
    return null
  }
  const stream = new PassThrough({ highWaterMark: waiting })
  ctx.body = stream
  ctx.set(headers)
  keep(stream)
  follow(stream, source, first, failed)
  return stream
}

function keep(stream: PassThrough): void {
  open.add(stream)
  stream.once('close', () => {
    open.delete(stream)
    if (open.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  })
  timer ??= setInterval(() => {
    for (const one of open) if (one.writable && !one.writableNeedDrain) one.write(':\n\n')
  }, heartbeat).unref()
}

type State = Awaited<ReturnType<EventSource['read']>>

function follow(stream: PassThrough, source: EventSource, first: State, failed: (cause: unknown) => void): void {
  let sent = -1
  let reading = false
  let again = false
  const send = (state: State) => {
    if (!state) return void stream.end()
    if (state.version > sent) {
      sent = state.version
      stream.write(`id: ${state.version}\ndata: ${JSON.stringify(state.value)}\n\n`)
    }
    if (state.terminal) stream.end()
  }
  const read = async () => {
    if (reading || stream.writableNeedDrain) return void (again = true)
    reading = true
    do {
      again = false
      const state = await source.read()
      if (!stream.writable) return
      send(state)
    } while (again && stream.writable)
    reading = false
  }
  const look = () =>
    void read().catch((cause: unknown) => {
      failed(cause)
      stream.destroy()
    })
  const stop = source.subscribe(look)
  stream.on('drain', () => {
    if (again) look()
  })
  stream.once('close', stop)
  send(first)
  // A change between the first read and the subscription would be missed otherwise.
  look()
}
