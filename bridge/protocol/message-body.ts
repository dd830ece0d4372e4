import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { RequestRefusal } from '../access/guard.ts'
import { findInexactNumber } from '../../tools/json.ts'
import { codes } from './protocol-error.ts'

/**
 * The largest message in bytes: the largest body of an operation is 5 MiB in base64, and this leaves room around it.
 */
const maxBodyBytes = 16 * 1024 * 1024

type BodyRefusal = { readonly refusal: RequestRefusal; readonly code: number }

const createBodyRefusal = (status: number, message: string, code: number = codes.invalidRequest): BodyRefusal => ({
  refusal: { status, message },
  code,
})
const wrongTypeRefusal = createBodyRefusal(415, 'The body must be application/json, not encoded')
const tooLargeRefusal = createBodyRefusal(413, `The body must not be larger than ${maxBodyBytes} bytes`)
const notJsonRefusal = createBodyRefusal(400, 'The body is not JSON in UTF-8', codes.parse)
const createInexactNumberRefusal = (number: string) =>
  createBodyRefusal(
    400,
    `The number ${number.slice(0, 60)} has more digits than a number keeps; send it as text`,
    codes.invalidParams,
  )

/** Reads the JSON value of a request's body, or the reason for a refusal. Rejects when the client breaks off. */
export async function readMessage(request: IncomingMessage): Promise<{ message: unknown } | BodyRefusal> {
  const { 'content-type': type = '', 'content-encoding': encoding, 'content-length': length } = request.headers
  if (encoding !== undefined || !/^application\/json\s*(;|$)/i.test(type)) return wrongTypeRefusal
  if (length !== undefined && Number(length) > maxBodyBytes) return tooLargeRefusal
  const bytes = await readBytes(request)
  return bytes === null ? tooLargeRefusal : parseBody(bytes)
}

/** Reads the bytes of a body; null if there are too many. The rest then stays unread in the connection. */
function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const collectChunk = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= maxBodyBytes) return
      request.off('data', collectChunk).pause()
      resolve(null)
    }
    const rejectClosed = () => reject(new Error('The client broke off'))
    request.on('data', collectChunk)
    request.once('end', () => {
      request.off('close', rejectClosed)
      resolve(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks))
    })
    request.once('error', reject)
    request.once('close', rejectClosed)
  })
}

function parseBody(bytes: Buffer): { message: unknown } | BodyRefusal {
  // A byte order mark is not part of JSON, but RFC 8259, section 8.1, allows to ignore it.
  if (!isUtf8(bytes)) return notJsonRefusal
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    const text = bytes.toString('utf8', marked ? 3 : 0)
    const message: unknown = JSON.parse(text)
    // The bridge writes the API request from the parsed message, so an inexact number would reach the API changed.
    const changed = findInexactNumber(text)
    return changed === null ? { message } : createInexactNumberRefusal(changed)
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause
    return notJsonRefusal
  }
}
