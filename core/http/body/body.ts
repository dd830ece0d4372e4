import type { Context as KoaContext } from 'koa'
import type { ProblemCode } from '../../kernel/problem-codes.ts'
import { findHazards } from '../../kernel/json/hazards.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { IssueCollector } from '../problems/issue-collector.ts'

export type BodyKind = 'json' | 'patch' | 'form'

const mediaTypesByKind: Record<BodyKind, string[]> = {
  json: ['application/json'],
  patch: ['application/json', 'application/merge-patch+json'],
  form: ['application/x-www-form-urlencoded'],
}

/** Content codings that the server can decode. Source: RFC 9110, section 8.4. */
const contentCodings = ['gzip', 'deflate', 'br', 'identity']

export interface BodyOptions {
  maxBytes: number
  tooLargeCode: ProblemCode
  kind: BodyKind
}

type Parser = (ctx: never, next: () => Promise<undefined>) => Promise<unknown>

/** A function that reads the body of a request and undoes its content coding. */
export type BodyReader = (ctx: KoaContext) => Promise<Buffer>

/**
 * Creates the reader of a route's bodies. The size limit also applies to the decompressed size.
 * @throws UNSUPPORTED_MEDIA_TYPE (415) for another content type or coding, `tooLargeCode` above the limit, INVALID_JSON
 * if the body ends early
 */
export function createBodyReader(options: BodyOptions): BodyReader {
  const { maxBytes, kind } = options
  const types = mediaTypesByKind[kind]
  let parser: Promise<Parser> | undefined
  // Loaded with the first body, so that the process starts sooner.
  const load = async () =>
    (await import('koa-body')).koaBody({
      json: false,
      urlencoded: false,
      multipart: false,
      text: true,
      textTypes: types,
      textLimit: maxBytes,
      // Decodes every byte as one character. 'binary' is the name of this charset that needs no table and is many times
      // as fast.
      encoding: 'binary',
      parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
      onError: (error) => {
        throw toBodyProblem(error, options)
      },
    })
  return async (ctx) => {
    const { headers } = ctx.req
    if (!hasBody(headers)) return Buffer.alloc(0)
    if (!ctx.request.is(types)) throw createProblem('UNSUPPORTED_MEDIA_TYPE', `This route takes ${types.join(' or ')}.`)
    headers['content-encoding'] = parseContentCoding(headers)
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw createTooLargeProblem(options)
    if (headers.expect !== undefined) ctx.res.writeContinue()
    parser ??= load()
    await (
      await parser
    )(ctx as never, async () => undefined)
    const text = (ctx.request as { body?: unknown }).body
    return typeof text === 'string' ? Buffer.from(text, 'latin1') : Buffer.alloc(0)
  }
}

type HeaderFields = KoaContext['req']['headers']

/** Checks whether a request carries a body. Source: RFC 9112, section 6. */
export const hasBody = (headers: HeaderFields): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Returns the content coding in lower case, because its name is case-insensitive. */
function parseContentCoding(headers: HeaderFields): string {
  const coding = (headers['content-encoding'] ?? 'identity').toLowerCase()
  if (contentCodings.includes(coding)) return coding
  throw createProblem(
    'UNSUPPORTED_MEDIA_TYPE',
    `Bodies are taken as they are, or in one of ${contentCodings.join(', ')}.`,
    {
      headers: { 'Accept-Encoding': contentCodings.join(', ') },
    },
  )
}

const createTooLargeProblem = ({ maxBytes, tooLargeCode: code }: BodyOptions) =>
  createProblem(code, `The body is larger than the ${maxBytes} bytes this route takes.`)

function toBodyProblem(error: unknown, options: BodyOptions): Error {
  const { status, type } = error as { status?: number; type?: string }
  if (status === 413 || type === 'entity.too.large') return createTooLargeProblem(options)
  return createProblem('INVALID_JSON', 'The body ended early or could not be decoded.', { path: 'body', cause: error })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a body, or returns undefined if there is nothing to validate further. What is not JSON in UTF-8 or names a
 * member twice is added to `issues` as INVALID_JSON; what no database column can hold is added as VALIDATION_FAILED. A
 * byte order mark is skipped. Source: RFC 8259, sections 4 and 8.1.
 */
export function parseBody(bytes: Buffer, kind: BodyKind, issues: IssueCollector): unknown {
  const addMalformed = (message: string) => issues.add('INVALID_JSON', { path: 'body', code: 'malformed', message })
  if (bytes.length === 0) return addMalformed('is missing')
  let text: string
  let body: unknown
  try {
    text = kind === 'form' ? bytes.toString('latin1') : utf8.decode(bytes)
    body = kind === 'form' ? parseForm(text) : JSON.parse(text)
  } catch {
    return addMalformed('is not well-formed JSON in UTF-8')
  }
  const { hazards, hasDuplicateNames, isIncomplete } = findHazards(body, kind === 'form' ? null : text)
  for (const hazard of hazards) issues.add('VALIDATION_FAILED', hazard)
  if (hasDuplicateNames) addMalformed('names a member of an object twice')
  return isIncomplete ? undefined : body
}

/** Parses the fields of an HTML form; if a name occurs twice, the last value counts. Source: WHATWG URL, section 5. */
function parseForm(text: string): unknown {
  return Object.fromEntries(new URLSearchParams(text))
}
