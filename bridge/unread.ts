import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { codes } from './protocol-error.ts'

/** Milliseconds that a refused connection is still read. */
const lingering = 2_000

const reasons: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are larger than 32 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not come in time' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The extensions of a chunk are too large' },
}
const malformed = { status: 400, message: 'The request is not well-formed HTTP' }

const bodyOf = (message: string) =>
  JSON.stringify({ jsonrpc: '2.0', error: { code: codes.invalidRequest, message }, id: null })

/**
 * Answers what is no HTTP request, or does not become one in time. The connection is closed for writing first, and wholly
 * when the client is done or the lingering is over: cut at once, a client that still sends would meet a reset connection
 * and never see the answer. Source: RFC 9112, sections 3 and 9.6; RFC 6585, section 5.
 */
export function answerUnread(server: Server): void {
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: Error & { code?: string }, stream) => {
    const socket = stream as Socket & { _httpMessage?: { headersSent: boolean } | null }
    if (refused.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent)
      return void socket.destroy()
    refused.add(socket)
    const { status, message } = reasons[error.code ?? ''] ?? malformed
    const body = bodyOf(message)
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n`
        + `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    // The rest of a request that is only late would still be one, and would be done after its refusal.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return socket.destroySoon()
    const over = setTimeout(() => socket.destroy(), lingering)
    socket.once('close', () => clearTimeout(over))
  })
}

/**
 * Answers a request whose body is not read to its end, and closes the connection when the client has sent it or the
 * lingering is over. The answer is whole for the client before.
 */
export function refuseUnread(response: ServerResponse, status: number, code: number, message: string): void {
  if (response.headersSent || response.destroyed) return
  const { req: request } = response
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  response.writeHead(status, {
    'connection': 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  if (request.closed) return void response.end(body)
  response.write(body)
  const over = setTimeout(() => response.end(), lingering)
  request.once('close', () => {
    clearTimeout(over)
    response.end()
  })
  request.resume()
}
