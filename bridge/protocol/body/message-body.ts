import type { IncomingMessage } from 'node:http'
import type { BodyShare } from '../../access/body-budget.ts'
import { createBodyRefusal, parseBody, type BodyRefusal, type ParsedBody } from './parse-body.ts'
import type { ParseThreads } from './parse-threads.ts'
import { ValueCounter } from './value-counter.ts'

/**
 * The largest message in bytes: the largest body of an operation is 5 MiB in base64, and this leaves room around it.
 */
const maxBodyBytes = 16 * 1024 * 1024

/** The largest body that is parsed at once, while nobody else is answered: its bytes and values. Others go to a thread. */
const maxParsedHere = { bytes: 1024 * 1024, values: 25_000 }

/**
 * The most values, objects and lists of one message. Parsing a text of many small values takes far longer than one of
 * the same size with few, and nobody else is answered meanwhile.
 */
const maxValues = 250_000

const wrongTypeRefusal = createBodyRefusal(415, 'The body must be application/json, not encoded')
const tooLargeRefusal = createBodyRefusal(413, `The body must not be larger than ${maxBodyBytes} bytes`)
const tooManyValuesRefusal = createBodyRefusal(413, `The body must not have more than ${maxValues} values`)
const noRoomRefusal: BodyRefusal = {
  ...createBodyRefusal(503, 'Too many bodies are being received; try again in some seconds'),
  retryAfterSeconds: 5,
}

/** What receiving a body needs of its process. */
export interface BodyResources {
  /** What the body may take of the memory for bodies. */
  readonly share: BodyShare
  readonly threads: ParseThreads
  /** The network that the body comes from. */
  readonly network: string
}

/** Reads the JSON value of a request's body, or the reason for a refusal. Rejects when the client breaks off. */
export async function readMessage(request: IncomingMessage, resources: BodyResources): Promise<ParsedBody> {
  const { 'content-type': type = '', 'content-encoding': encoding, 'content-length': length } = request.headers
  if (encoding !== undefined || !/^application\/json\s*(;|$)/i.test(type)) return wrongTypeRefusal
  if (length !== undefined && Number(length) > maxBodyBytes) return tooLargeRefusal
  const read = await readBytes(request, resources.share)
  if ('refusal' in read) return read
  const { bytes, valueCount } = read
  return bytes.length > maxParsedHere.bytes || valueCount > maxParsedHere.values
    ? await resources.threads.parse(bytes, resources.network)
    : parseBody(bytes)
}

interface ReadBytes {
  readonly bytes: Buffer<ArrayBuffer>
  readonly valueCount: number
}

/** Reads the bytes of a body, or the reason for a refusal. The rest then stays unread in the connection. */
function readBytes(request: IncomingMessage, share: BodyShare): Promise<ReadBytes | BodyRefusal> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer<ArrayBuffer>[] = []
    const values = new ValueCounter()
    let size = 0
    const findRefusal = (chunk: Buffer): BodyRefusal | null => {
      if (size > maxBodyBytes) return tooLargeRefusal
      if (!share.take(chunk.length)) return noRoomRefusal
      values.add(chunk)
      return values.count > maxValues ? tooManyValuesRefusal : null
    }
    const collectChunk = (chunk: Buffer<ArrayBuffer>) => {
      size += chunk.length
      chunks.push(chunk)
      const refusal = findRefusal(chunk)
      if (refusal === null) return
      request.off('data', collectChunk).pause()
      resolve(refusal)
    }
    const rejectClosed = () => reject(new Error('The client broke off'))
    // Each comes once; `once` would wrap each listener, for every request.
    request.on('data', collectChunk)
    request.on('end', () => {
      request.off('close', rejectClosed)
      const bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
      resolve({ bytes, valueCount: values.count })
    })
    request.on('error', reject)
    request.on('close', rejectClosed)
  })
}
