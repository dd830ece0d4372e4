import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Context as KoaContext } from 'koa'
import { parseCharset } from '../../kernel/text/charset.ts'
import type { OperationDeclaration } from '../../kernel/operation.ts'
import { ProblemError, createProblem } from '../../kernel/problem.ts'
import type { Upload, UploadedObject } from '../../kernel/upload.ts'
import { createBodyValidator, type BodyValidator } from '../pipeline/validate.ts'
import { IssueCollector } from '../problems/issue-collector.ts'
import { hasBody, parseBody } from './body.ts'
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
/** Maximum size of a JSON object that describes a file, in bytes: it is parsed as a whole. */
const maxObjectBytes = 8 * 1024 * 1024
const readNoObject = (): never => {
  throw new Error('The body is no JSON object')
}
const emptyUpload: Upload = { type: null, openFile: async () => null, readObject: async () => readNoObject() }

/** Creates the reader of a route's uploads. For a route without uploads, the reader returns an empty upload. */
export function createUploadReader({
  upload,
  transport: { maxBodyBytes, tooLargeCode = 'PAYLOAD_TOO_LARGE' },
}: Pick<OperationDeclaration, 'upload' | 'transport'>): UploadReader {
  if (!upload || maxBodyBytes === undefined) return () => emptyUpload
  const types = Object.keys(upload)
  const objectValidators = compileObjectValidators(upload)
  const createTooLargeProblem = (max = maxBodyBytes) =>
    createProblem(tooLargeCode, `The file has more than the ${max} bytes that this route takes, unpacked.`)
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
      return {
        type: null,
        openFile: () => readFormFile(headers['content-type'] as string, bytes()),
        readObject: async () => readNoObject(),
      }
    const charset = parseCharset(headers['content-type'])
    const validate = objectValidators.get(type)
    const readObjectBytes = () =>
      readBodyBytes(ctx, isPacked, maxObjectBytes, () => createTooLargeProblem(maxObjectBytes))
    return {
      type,
      openFile: async () => ({ type, charset, name: null, bytes: bytes() }),
      readObject: async () => (validate ? readObjectBody(readObjectBytes(), validate) : readNoObject()),
    }
  }
}

/** Compiles the validators of the types that are JSON objects, by media type. */
function compileObjectValidators(types: NonNullable<OperationDeclaration['upload']>): Map<string, BodyValidator> {
  const objects = Object.entries(types).filter(
    ([type, schema]) => /[/+]json$/.test(type) && (schema as { type?: unknown }).type === 'object',
  )
  return new Map(objects.map(([type, schema]) => [type, createBodyValidator(schema)]))
}

async function readObjectBody(bytes: AsyncIterable<Buffer>, validate: BodyValidator): Promise<UploadedObject> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const issues = new IssueCollector()
  const value = parseBody(body, 'json', issues)
  if (value !== undefined) validate(value, body.length, issues)
  issues.assertNone()
  return { value, digest: createHash('sha256').update(body).digest() }
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
