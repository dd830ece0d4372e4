import type { IncomingMessage } from 'node:http'
import type { Refusal } from './guard.ts'
import { codes } from './protocol-error.ts'

/** The most of a message, in bytes: the largest body of an operation, 5 MiB in base64, with room around it. */
const mostBytes = 16 * 1024 * 1024

/** The JSON value of a request's body, or why there is none. Rejects when the client breaks off. */
export async function readMessage(
  request: IncomingMessage,
): Promise<{ message: unknown } | { refusal: Refusal; code: number }> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type) || request.headers['content-encoding'] !== undefined) {
    return { refusal: { status: 415, message: 'The body must be application/json, not encoded' }, code: codes.server }
  }
  const tooLarge = {
    refusal: { status: 413, message: `The body must not be larger than ${mostBytes} bytes` },
    code: codes.server,
  }
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return tooLarge
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) return tooLarge
    chunks.push(chunk)
  }
  return parse(Buffer.concat(chunks))
}

function parse(bytes: Buffer): { message: unknown } | { refusal: Refusal; code: number } {
  try {
    return { message: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError || cause instanceof RangeError)) throw cause
    return { refusal: { status: 400, message: 'The body is not JSON in UTF-8' }, code: codes.parse }
  }
}
