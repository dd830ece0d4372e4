import { createServer, STATUS_CODES, type Server, type ServerOptions } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type Koa from 'koa'
import { v4 } from 'uuid'
import { endStreams } from './events.ts'
import { cutSlowBodies } from './pace.ts'
import { codes, type Code } from '../kernel/codes.ts'
import { listenOn } from '../kernel/listen.ts'
import { problemType } from './problems.ts'

/**
 * A head has to come within 25 s, looked at every 2 s; a body at the pace of `cutSlowBodies`, so an upload may take as
 * long as it moves. Idle connections live longer than those of common balancers (60 s), so that it is they who close.
 */
const options: ServerOptions = {
  headersTimeout: 25_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 32 * 1024,
  // Asked for by the application, so that its refusal is like the others.
  requireHostHeader: false,
}

/** Milliseconds that a stopping server waits for idle clients to hear, with their next answer, that it leaves. */
const farewell = 1_000
/** Milliseconds of stopping after which bodies that still come are cut, and all that is left. */
const patience = { bodies: 3_000, all: 15_000 }

/** Milliseconds that a refused connection is still read. */
const lingering = 2_000

export interface Served {
  server: Server
  stop(): Promise<void>
}

/**
 * Serves the application until it is stopped. @param baseUrl our own address, for the pages behind problems
 * @param portName of the variable that has the port
 * @throws StartError when nobody can listen there
 */
export async function serve(app: Koa, port: number, host: string, baseUrl: string, portName = 'PORT'): Promise<Served> {
  const handle = app.callback()
  const handling = new Set<Promise<void>>()
  const server = createServer(options, (req, res) => {
    const handled = handle(req, res).finally(() => handling.delete(handled))
    handling.add(handled)
  })
  server.on('clientError', (error, socket) => refuseUnread(error, socket as Socket, baseUrl))
  // Who asks before sending a body is told to go on when somebody reads it, or else gets the answer at once.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (req, res) => void server.emit('request', req, res))
  const cutBodies = cutSlowBodies(server)
  const answering = { count: 0 }
  server.on('request', (_, res) => {
    answering.count++
    res.once('close', () => {
      answering.count--
    })
  })
  await listenOn(server, portName, port, host)
  return { server, stop: () => stop(server, { answering, handling, cutBodies }) }
}

interface InHand {
  answering: { count: number }
  /** Requests that are worked on, also those whose client is gone. */
  handling: ReadonlySet<Promise<void>>
  cutBodies(): void
}

/**
 * Takes no new connection, answers what is asked on those that are there and closes each after its answer. A connection
 * that nobody uses is closed when the farewell is over: its client would lose a request that is on its way. An upload
 * that has not come whole after 3 s is cut and not kept, so that its client sends it again; who does not take an answer
 * in 15 s is cut as well. What was begun is then put in order before this resolves.
 */
async function stop(server: Server, { answering, handling, cutBodies }: InHand): Promise<void> {
  server.prependListener('request', (_, res) => {
    res.shouldKeepAlive = false
  })
  // The method of http.Server would cut idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  endStreams()
  const timers = [setTimeout(cutBodies, patience.bodies), setTimeout(() => server.closeAllConnections(), patience.all)]
  await Promise.race([closed, sleep(farewell, undefined, { ref: false })])
  // Those that never asked, or not yet whole, do not count as idle.
  const sweeping = setInterval(
    () => (answering.count === 0 ? server.closeAllConnections() : server.closeIdleConnections()),
    100,
  )
  await closed
  await Promise.allSettled(handling)
  clearInterval(sweeping)
  for (const timer of timers) clearTimeout(timer)
}

const codeOf: Record<string, Code> = {
  HPE_HEADER_OVERFLOW: 'REQUEST_HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
}

/** Connections whose refusal is on its way. What still comes in on them is read and counts as nothing. */
const refused = new WeakSet<Socket>()

/**
 * Answers what is no HTTP request, or does not become one in time. The connection is closed for writing first, and
 * wholly when the client is done or the lingering is over: cut at once, a client that still sends its megabyte of head
 * would meet a reset connection and never see the answer. Who is too slow is cut at once: the rest of such a request
 * would still be one, and would be done after its refusal.
 * Source: RFC 9112, sections 3 and 9.6; RFC 6585, section 5.
 */
function refuseUnread(error: Error & { code?: string }, socket: Socket, baseUrl: string): void {
  if (refused.has(socket)) return
  const { _httpMessage: answering } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) return void socket.destroy()
  refused.add(socket)
  const code = codeOf[error.code ?? ''] ?? 'INVALID_REQUEST'
  const { status } = codes[code]
  const title = STATUS_CODES[status] ?? ''
  const requestId = v4()
  const body = JSON.stringify({
    type: `${baseUrl}/problems/${code}`,
    title: codes[code].title,
    status,
    code,
    detail: code === 'INVALID_REQUEST' ? 'The request is not well-formed HTTP.' : codes[code].meaning,
    instance: '',
    requestId,
  })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\nContent-Type: ${problemType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroySoon()
  const over = setTimeout(() => socket.destroy(), lingering)
  socket.once('close', () => clearTimeout(over))
}
