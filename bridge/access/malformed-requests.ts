import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { codes } from '../protocol/protocol-error.ts'

/** How long a refused connection is still read, in milliseconds. */
const lingerMs = 2_000

const reasons: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are larger than 32 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not come in time' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The extensions of a chunk are too large' },
}
const malformed = { status: 400, message: 'The request is not well-formed HTTP' }

const formatErrorBody = (message: string) =>
  JSON.stringify({ jsonrpc: '2.0', error: { code: codes.invalidRequest, message }, id: null })

/**
 * Answers connections that send no valid HTTP request, or none in time. It closes the connection for writing first, and
 * completely when the client is done or `lingerMs` has passed. If it closed the connection at once, a client that is
 * still sending would see a reset connection and never the answer. Source: RFC 9112, sections 3 and 9.6; RFC 6585,
 * section 5.
 */
export function answerMalformedRequests(server: Server): void {
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: Error & { code?: string }, stream) => {
    const socket = stream as Socket & { _httpMessage?: { headersSent: boolean } | null }
    if (refused.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent)
      return void socket.destroy()
    refused.add(socket)
    const { status, message } = reasons[error.code ?? ''] ?? malformed
    const body = formatErrorBody(message)
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n`
        + `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    // A request that is only late could still become complete, and would then run after it was refused.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return socket.destroySoon()
    const over = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(over))
  })
}

/**
 * Answers a request without reading its body to the end. The client gets the whole answer first; the connection is
 * closed when the client has sent the body or `lingerMs` has passed.
 */
export function refuseUnreadBody(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): void {
  if (response.headersSent || response.destroyed) return
  const { req: request } = response
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id })
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  if (request.closed) return void response.end(body)
  response.write(body)
  const over = setTimeout(() => response.end(), lingerMs)
  request.once('close', () => {
    clearTimeout(over)
    response.end()
  })
  request.resume()
}
