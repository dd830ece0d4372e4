import { isUtf8 } from 'node:buffer'
import { findInexactNumber } from '../../../tools/json.ts'
import { codes } from '../protocol-error.ts'
import { getMessageId } from '../respond.ts'

/** A refused body. `id` is that of the request if it could be read; `retryAfterSeconds` if it may be sent again. */
export interface BodyRefusal {
  readonly refusal: { readonly status: number; readonly message: string }
  readonly code: number
  readonly id?: string | number | null
  readonly retryAfterSeconds?: number
}

/** The JSON value of a body, or why it is refused. Both can be cloned, so a thread can answer them. */
export type ParsedBody = { readonly message: unknown } | BodyRefusal

export const createBodyRefusal = (
  status: number,
  message: string,
  code: number = codes.invalidRequest,
): BodyRefusal => ({ refusal: { status, message }, code })

const notJsonRefusal = createBodyRefusal(400, 'The body is not JSON in UTF-8', codes.parse)
/** The answer to a value that cannot be copied between threads. */
export const tooDeepRefusal = createBodyRefusal(400, 'The body is nested too deeply', codes.invalidParams)
const createInexactNumberRefusal = (number: string, message: unknown): BodyRefusal => ({
  ...createBodyRefusal(
    400,
    `The number ${number.slice(0, 60)} has more digits than a number keeps; send it as text`,
    codes.invalidParams,
  ),
  id: getMessageId(message),
})

/** Parses the bytes of a body. Source: RFC 8259. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  // A byte order mark is not part of JSON, but RFC 8259, section 8.1, allows to ignore it.
  if (!isUtf8(bytes)) return notJsonRefusal
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', marked ? 3 : 0)
    const message: unknown = JSON.parse(text)
    // The bridge writes the API request from the parsed message, so an inexact number would reach the API changed.
    const changed = findInexactNumber(text)
    return changed === null ? { message } : createInexactNumberRefusal(changed, message)
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause
    return notJsonRefusal
  }
}
