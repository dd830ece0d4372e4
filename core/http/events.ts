import { PassThrough } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { EventSource } from '../kernel/answer.ts'
import { notFound, problem } from '../kernel/problem.ts'

/** A comment line at least this often keeps proxies from closing the connection, in milliseconds. */
const heartbeat = 15_000
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
 */
export async function streamEvents(ctx: KoaContext, source: EventSource): Promise<void> {
  const first = await source.read()
  if (!first) throw notFound()
  if (first.terminal && ctx.request.get('last-event-id') === String(first.version)) {
    ctx.status = 204
    return
  }
  const stream = new PassThrough({ highWaterMark: 64 * 1024 })
  ctx.status = 200
  ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
  ctx.body = stream
  keep(stream)
  follow(stream, source, first)
}

function keep(stream: PassThrough): void {
  open.add(stream)
  stream.once('close', () => {
    open.delete(stream)
    if (open.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  })
  timer ??= setInterval(() => { for (const one of open) if (!one.writableNeedDrain) one.write(':\n\n') }, heartbeat).unref()
}

type State = Awaited<ReturnType<EventSource['read']>>

function follow(stream: PassThrough, source: EventSource, first: State): void {
  let sent = 0
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
  const look = async () => {
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
  const stop = source.subscribe(() => look().catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error)))))
  stream.on('drain', () => { if (again) look().catch((error: unknown) => stream.destroy(error as Error)) })
  stream.once('close', stop)
  send(first)
  // A change between the first read and the subscription would be missed otherwise.
  look().catch((error: unknown) => stream.destroy(error as Error))
}
