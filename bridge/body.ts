import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Refusal } from './guard.ts'
import { changedNumber } from '../tools/json.ts'
import { codes } from './protocol-error.ts'

/** The most of a message, in bytes: the largest body of an operation, 5 MiB in base64, with room around it. */
const mostBytes = 16 * 1024 * 1024

type Refused = { readonly refusal: Refusal; readonly code: number }

const refused = (status: number, message: string, code: number = codes.invalidRequest): Refused => ({
  refusal: { status, message },
  code,
})
const wrongType = refused(415, 'The body must be application/json, not encoded')
const tooLarge = refused(413, `The body must not be larger than ${mostBytes} bytes`)
const noJson = refused(400, 'The body is not JSON in UTF-8', codes.parse)
const inexact = (number: string) =>
  refused(400, `The number ${number.slice(0, 60)} has more digits than a number keeps; send it as text`, codes.invalidParams)

/** The JSON value of a request's body, or why there is none. Rejects when the client breaks off. */
export async function readMessage(request: IncomingMessage): Promise<{ message: unknown } | Refused> {
  const { 'content-type': type = '', 'content-encoding': encoding, 'content-length': length } = request.headers
  if (encoding !== undefined || !/^application\/json\s*(;|$)/i.test(type)) return wrongType
  if (length !== undefined && Number(length) > mostBytes) return tooLarge
  const bytes = await bytesOf(request)
  return bytes === null ? tooLarge : parse(bytes)
}

/** Null for more than is taken; what still comes is left in the connection. */
function bytesOf(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= mostBytes) return
      request.off('data', take).pause()
      resolve(null)
    }
    const gone = () => reject(new Error('The client broke off'))
    request.on('data', take)
    request.once('end', () => {
      request.off('close', gone)
      resolve(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks))
    })
    request.once('error', reject)
    request.once('close', gone)
  })
}

function parse(bytes: Buffer): { message: unknown } | Refused {
  // A byte order mark is no part of JSON: RFC 8259, section 8.1, lets it be ignored.
  if (!isUtf8(bytes)) return noJson
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    const text = bytes.toString('utf8', marked ? 3 : 0)
    const message: unknown = JSON.parse(text)
    // What is sent on is written anew from the message: another number than the client sent.
    const changed = changedNumber(text)
    return changed === null ? { message } : inexact(changed)
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause
    return noJson
  }
}
