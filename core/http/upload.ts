import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Context as KoaContext } from 'koa'
import { charsetOf } from '../kernel/charset.ts'
import type { Declaration } from '../kernel/operation.ts'
import { Problem, problem } from '../kernel/problem.ts'
import type { Upload } from '../kernel/upload.ts'
import { hasBody } from './body.ts'
import { fileOfForm } from './upload.form.ts'

/** Makes of a request what its receiver gets, without reading. @throws 415, and `tooLarge` for an announced length */
export type UploadReader = (ctx: KoaContext) => Upload

const form = 'multipart/form-data'
/** Bytes that a form may have around its file. */
const formBytes = 64 * 1024
/** Codings that are undone. Source: RFC 9110, section 8.4.1.3. */
const codings = ['identity', 'gzip', 'x-gzip']
const none: Upload = { type: null, file: async () => null }

/** The reader of a route's uploads; of a route that has none it finds nothing. */
export function uploadReader({ upload, bodyLimit, tooLarge = 'PAYLOAD_TOO_LARGE' }: Declaration): UploadReader {
  if (!upload || bodyLimit === undefined) return () => none
  const types = Object.keys(upload)
  const refusal = () => problem(tooLarge, `The file has more than the ${bodyLimit} bytes that this route takes, unpacked.`)
  return (ctx) => {
    const { headers } = ctx.req
    if (!hasBody(headers)) return none
    const type = ctx.request.is(types)
    if (!type) throw problem('UNSUPPORTED_MEDIA_TYPE', `This route takes ${types.join(', ')}.`)
    const packed = codingOf(headers['content-encoding']) !== 'identity'
    const limit = type === form ? bodyLimit + formBytes : bodyLimit
    if (!packed && Number(headers['content-length'] ?? 0) > limit) throw refusal()
    const bytes = () => read(ctx, packed, limit, refusal)
    if (type === form) return { type: null, file: () => fileOfForm(headers['content-type'] as string, bytes()) }
    const charset = charsetOf(headers['content-type'])
    return { type, file: async () => ({ type, charset, name: null, bytes: bytes() }) }
  }
}

/** The content coding in small letters: its name has no case. */
function codingOf(header = 'identity'): string {
  const coding = header.toLowerCase()
  if (codings.includes(coding)) return coding
  throw problem('UNSUPPORTED_MEDIA_TYPE', 'Files are taken as they are, or in gzip.', {
    headers: { 'Accept-Encoding': 'gzip, identity' },
  })
}

/** The bytes of a body as they are asked for. Who stops before the end leaves the request open for its answer. */
async function* read(ctx: KoaContext, packed: boolean, limit: number, refusal: () => Problem): AsyncGenerator<Buffer> {
  const { req, res } = ctx
  if (req.headers.expect !== undefined) res.writeContinue()
  const stream = packed ? unpacked(req, limit, refusal) : req
  let bytes = 0
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) throw refusal()
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    const what = packed ? 'ended early, or is not what gzip writes' : 'ended early'
    throw problem('INVALID_REQUEST', `The body ${what}.`, { path: 'body', cause })
  } finally {
    if (packed) stream.destroy()
  }
}

/** What does not shrink gets a little longer by packing. */
const packedMost = (limit: number) => limit + Math.ceil(limit / 100) + 1024

/**
 * What arrives is counted too: packed, nothing at all can be endless. Not a pipeline: that would close the connection
 * together with a stream that fails. Source: RFC 1952, section 2.2.
 */
function unpacked(req: KoaContext['req'], limit: number, refusal: () => Problem): Readable {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > packedMost(limit)) gunzip.destroy(refusal())
  }
  req.on('data', count)
  gunzip.once('close', () => req.off('data', count))
  req.once('close', () => {
    if (!req.complete) gunzip.destroy(new Error('The request was broken off'))
  })
  return req.pipe(gunzip)
}
