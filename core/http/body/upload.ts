import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Context as KoaContext } from 'koa'
import { parseCharset } from '../../kernel/text/charset.ts'
import type { OperationDeclaration } from '../../kernel/operation.ts'
import { ProblemError, createProblem } from '../../kernel/problem.ts'
import type { Upload } from '../../kernel/upload.ts'
import { hasBody } from './body.ts'
import { readFormFile } from './upload.form.ts'

/**
 * A function that prepares the upload of a request without reading its body.
 * @throws UNSUPPORTED_MEDIA_TYPE (415), or `tooLargeCode` if the announced length is too large
 */
export type UploadReader = (ctx: KoaContext) => Upload

const formType = 'multipart/form-data'
/** Maximum size of a form without its file, in bytes. */
const maxFormOverheadBytes = 64 * 1024
/** Content codings that the server can decode. Source: RFC 9110, section 8.4.1.3. */
const contentCodings = ['identity', 'gzip', 'x-gzip']
const emptyUpload: Upload = { type: null, openFile: async () => null }

/** Creates the reader of a route's uploads. For a route without uploads, the reader returns an empty upload. */
export function createUploadReader({
  upload,
  transport: { maxBodyBytes, tooLargeCode = 'PAYLOAD_TOO_LARGE' },
}: Pick<OperationDeclaration, 'upload' | 'transport'>): UploadReader {
  if (!upload || maxBodyBytes === undefined) return () => emptyUpload
  const types = Object.keys(upload)
  const createTooLargeProblem = () =>
    createProblem(tooLargeCode, `The file has more than the ${maxBodyBytes} bytes that this route takes, unpacked.`)
  return (ctx) => {
    const { headers } = ctx.req
    if (!hasBody(headers)) return emptyUpload
    const type = ctx.request.is(types)
    if (!type) throw createProblem('UNSUPPORTED_MEDIA_TYPE', `This route takes ${types.join(', ')}.`)
    const isPacked = parseContentCoding(headers['content-encoding']) !== 'identity'
    const maxBytes = type === formType ? maxBodyBytes + maxFormOverheadBytes : maxBodyBytes
    if (!isPacked && Number(headers['content-length'] ?? 0) > maxBytes) throw createTooLargeProblem()
    const bytes = () => readBodyBytes(ctx, isPacked, maxBytes, createTooLargeProblem)
    if (type === formType)
      return { type: null, openFile: () => readFormFile(headers['content-type'] as string, bytes()) }
    const charset = parseCharset(headers['content-type'])
    return { type, openFile: async () => ({ type, charset, name: null, bytes: bytes() }) }
  }
}

/** Returns the content coding in lower case, because its name is case-insensitive. */
function parseContentCoding(header = 'identity'): string {
  const coding = header.toLowerCase()
  if (contentCodings.includes(coding)) return coding
  throw createProblem('UNSUPPORTED_MEDIA_TYPE', 'Files are taken as they are, or in gzip.', {
    headers: { 'Accept-Encoding': 'gzip, identity' },
  })
}

/** Reads the bytes of a body on demand. If the consumer stops early, the request stays open for its answer. */
async function* readBodyBytes(
  ctx: KoaContext,
  isPacked: boolean,
  maxBytes: number,
  createTooLargeProblem: () => ProblemError,
): AsyncGenerator<Buffer> {
  const { req, res } = ctx
  if (req.headers.expect !== undefined) res.writeContinue()
  const stream = isPacked ? unpackBody(req, maxBytes, createTooLargeProblem) : req
  let bytes = 0
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw createTooLargeProblem()
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause
    const what = isPacked ? 'ended early, or is not what gzip writes' : 'ended early'
    throw createProblem('INVALID_REQUEST', `The body ${what}.`, { path: 'body', cause })
  } finally {
    if (isPacked) stream.destroy()
  }
}

/** Returns the limit for the compressed size. Data that does not compress becomes slightly longer. */
const getMaxPackedBytes = (maxBytes: number) => maxBytes + Math.ceil(maxBytes / 100) + 1024

/**
 * Decompresses a body and also limits the compressed bytes, because endless compressed input may decompress to nothing.
 * Does not use a pipeline, which would close the connection when the stream fails. Source: RFC 1952, section 2.2.
 */
function unpackBody(req: KoaContext['req'], maxBytes: number, createTooLargeProblem: () => ProblemError): Readable {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 })
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > getMaxPackedBytes(maxBytes)) gunzip.destroy(createTooLargeProblem())
  }
  req.on('data', count)
  gunzip.once('close', () => req.off('data', count))
  req.once('close', () => {
    if (!req.complete) gunzip.destroy(new Error('The request was broken off'))
  })
  return req.pipe(gunzip)
}
