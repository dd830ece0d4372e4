import { createServer, STATUS_CODES, type Server, type ServerOptions } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type Koa from 'koa'
import { v4 } from 'uuid'
import { endEventStreams } from '../events/event-streams.ts'
import { cutSlowBodies } from '../body/slow-bodies.ts'
import { problemCodes, type ProblemCode } from '../../kernel/problem-codes.ts'
import { startListening } from '../../kernel/process/listen.ts'
import { problemMediaType } from '../problems/problems.ts'

/**
 * Timeouts of connections. The head of a request has to arrive within 25 s, checked every 2 s. A body has to keep the
 * pace of `cutSlowBodies`, so that an upload may take as long as it progresses. Idle connections live longer than those
 * of common load balancers (60 s), so that the balancer closes them first.
 */
const serverOptions: ServerOptions = {
  headersTimeout: 25_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 32 * 1024,
  // The application checks the Host, so that its problem looks like the others.
  requireHostHeader: false,
}

/**
 * Milliseconds that a stopping server waits before it closes idle connections. Clients that send a request in that time
 * learn from its answer that the server is stopping.
 */
const idleCloseDelayMs = 1_000
/** Milliseconds after which a stopping server cuts bodies that still arrive, and all other connections. */
const stopTimeoutsMs = { bodies: 3_000, all: 15_000 }

/** The longest time for which a stopping server accepts connections that wait in the queue of its socket, in milliseconds. */
const maxAcceptMs = 1_000

/** Milliseconds for which a refused connection is still read. */
const lingerMs = 2_000

export interface RunningServer {
  server: Server
  stop(): Promise<void>
}

/**
 * Serves the application until it is stopped. @param baseUrl our own address, for the `type` of problems
 * @param portName name of the variable that has the port
 * @throws StartError if the server cannot listen
 */
export async function startHttpServer(
  app: Koa,
  port: number,
  host: string,
  baseUrl: string,
  portName = 'PORT',
): Promise<RunningServer> {
  const handle = app.callback()
  const handlerRuns = new Set<Promise<void>>()
  const server = createServer(serverOptions, (req, res) => {
    const handled = handle(req, res).finally(() => handlerRuns.delete(handled))
    handlerRuns.add(handled)
  })
  server.on('clientError', (error, socket) => refuseMalformedRequest(error, socket as Socket, baseUrl))
  // A client that sends `Expect: 100-continue` is told to continue when its body is read, or gets its answer at once.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (req, res) => void server.emit('request', req, res))
  const cutBodies = cutSlowBodies(server)
  const [openAnswers, accepted] = [{ count: 0 }, { count: 0 }]
  server.on('connection', () => accepted.count++)
  server.on('request', (_, res) => {
    openAnswers.count++
    res.once('close', () => {
      openAnswers.count--
    })
  })
  await startListening(server, portName, port, host)
  return { server, stop: () => stopServer(server, { openAnswers, accepted, handlerRuns, cutBodies }) }
}

interface PendingWork {
  openAnswers: { count: number }
  /** Connections that were accepted so far. */
  accepted: { count: number }
  /** Requests that are being handled, including those whose client has disconnected. */
  handlerRuns: ReadonlySet<Promise<void>>
  cutBodies(): void
}

/**
 * Stops a server. It accepts the connections that wait already and no others, answers the requests on them and closes
 * each after its answer. An unused connection is closed only after `idleCloseDelayMs`, because its client could lose a
 * request that is on its way. An upload that is incomplete after 3 s is cut and not kept, so that its client sends it
 * again. A client that has not read its answer after 15 s is cut as well. Resolves after all handlers have ended.
 */
async function stopServer(server: Server, work: PendingWork): Promise<void> {
  const { openAnswers, accepted, handlerRuns, cutBodies } = work
  server.prependListener('request', (_, res) => {
    res.shouldKeepAlive = false
  })
  await acceptWaiting(accepted)
  // The method of http.Server would close idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  endEventStreams()
  const timers = [
    setTimeout(cutBodies, stopTimeoutsMs.bodies),
    setTimeout(() => server.closeAllConnections(), stopTimeoutsMs.all),
  ]
  await Promise.race([closed, sleep(idleCloseDelayMs, undefined, { ref: false })])
  // Node does not count a connection as idle before its first request is complete.
  const sweeping = setInterval(
    () => (openAnswers.count === 0 ? server.closeAllConnections() : server.closeIdleConnections()),
    100,
  )
  await closed
  await Promise.allSettled(handlerRuns)
  clearInterval(sweeping)
  for (const timer of timers) clearTimeout(timer)
}

/**
 * Resolves when the process has accepted the connections that wait in the queue of its socket. Closing the socket would
 * reset them, although their clients are connected already. The event loop accepts one a turn.
 */
async function acceptWaiting(accepted: { count: number }): Promise<void> {
  const endsAtMs = performance.now() + maxAcceptMs
  for (let seen = -1; seen !== accepted.count && performance.now() < endsAtMs;) {
    seen = accepted.count
    for (let nth = 0; nth < 2; nth++) await turn()
  }
}

const codesByParserError: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'REQUEST_HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
}

/** Connections whose refusal has been sent. Whatever still arrives on them is read and ignored. */
const refusedSockets = new WeakSet<Socket>()

/**
 * Answers a request that is not well-formed HTTP or does not arrive in time. The connection is first closed only for
 * writing, and fully when the client is done or after `lingerMs`: if it were closed at once, a client that still sends
 * its head would see a reset connection instead of the answer. A request that is too slow is cut at once, because its
 * rest could still complete it, so that it would be executed after its refusal. Source: RFC 9112, sections 3 and 9.6;
 * RFC 6585, section 5.
 */
function refuseMalformedRequest(error: Error & { code?: string }, socket: Socket, baseUrl: string): void {
  if (refusedSockets.has(socket)) return
  const { _httpMessage: answering } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) return void socket.destroy()
  refusedSockets.add(socket)
  const code = codesByParserError[error.code ?? ''] ?? 'INVALID_REQUEST'
  const { status } = problemCodes[code]
  const title = STATUS_CODES[status] ?? ''
  const requestId = v4()
  const body = JSON.stringify({
    type: `${baseUrl}/problems/${code}`,
    title: problemCodes[code].title,
    status,
    code,
    detail: code === 'INVALID_REQUEST' ? 'The request is not well-formed HTTP.' : problemCodes[code].meaning,
    instance: '',
    requestId,
  })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\nContent-Type: ${problemMediaType}\r\n`
      + `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroySoon()
  const lingerTimer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(lingerTimer))
}
