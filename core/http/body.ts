import type { Context as KoaContext } from 'koa'
import type { Code } from '../kernel/codes.ts'
import { findHazards } from '../kernel/hazards.ts'
import { problem } from '../kernel/problem.ts'
import type { Faults } from './faults.ts'

export type BodyKind = 'json' | 'patch' | 'form'

const typesOf: Record<BodyKind, string[]> = {
  json: ['application/json'],
  patch: ['application/json', 'application/merge-patch+json'],
  form: ['application/x-www-form-urlencoded'],
}

/** Codings that are undone. Source: RFC 9110, section 8.4. */
const codings = ['gzip', 'deflate', 'br', 'identity']

export interface BodyOptions {
  limit: number
  tooLarge: Code
  kind: BodyKind
}

type Parser = (ctx: never, next: () => Promise<undefined>) => Promise<unknown>

/** Reads the bytes of one route's bodies, content codings undone. */
export type BodyReader = (ctx: KoaContext) => Promise<Buffer>

/**
 * A reader of bodies up to a limit, which counts what a coding unfolds to as well.
 * @throws 415 for another content type or coding, 413 past the limit, INVALID_JSON for what ends early
 */
export function bodyReader(options: BodyOptions): BodyReader {
  const { limit, kind } = options
  const types = typesOf[kind]
  let parser: Promise<Parser> | undefined
  // Loaded with the first body: a process starts sooner without it.
  const load = async () => (await import('koa-body')).koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: types,
    textLimit: limit,
    // Every byte as one character; of the names of this coding the one that is decoded without a table, many times as fast.
    encoding: 'binary',
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => {
      throw bodyError(error, options)
    },
  })
  return async (ctx) => {
    const { headers } = ctx.req
    if (!hasBody(headers)) return Buffer.alloc(0)
    if (!ctx.request.is(types)) throw problem('UNSUPPORTED_MEDIA_TYPE', `This route takes ${types.join(' or ')}.`)
    headers['content-encoding'] = codingOf(headers)
    if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(options)
    if (headers.expect !== undefined) ctx.res.writeContinue()
    parser ??= load()
    await (await parser)(ctx as never, async () => undefined)
    const text = (ctx.request as { body?: unknown }).body
    return typeof text === 'string' ? Buffer.from(text, 'latin1') : Buffer.alloc(0)
  }
}

type Headers = KoaContext['req']['headers']

/** Whether a request carries a body, empty or not. Source: RFC 9112, section 6. */
export const hasBody = (headers: Headers): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The content coding in small letters: its name has no case. */
function codingOf(headers: Headers): string {
  const coding = (headers['content-encoding'] ?? 'identity').toLowerCase()
  if (codings.includes(coding)) return coding
  throw problem('UNSUPPORTED_MEDIA_TYPE', `Bodies are taken as they are, or in one of ${codings.join(', ')}.`, {
    headers: { 'Accept-Encoding': codings.join(', ') },
  })
}

const tooLarge = ({ limit, tooLarge: code }: BodyOptions) =>
  problem(code, `The body is larger than the ${limit} bytes this route takes.`)

function bodyError(error: unknown, options: BodyOptions): Error {
  const { status, type } = error as { status?: number; type?: string }
  if (status === 413 || type === 'entity.too.large') return tooLarge(options)
  return problem('INVALID_JSON', 'The body ended early or could not be decoded.', { path: 'body', cause: error })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a body, or undefined where there is none to judge further. What is no JSON in UTF-8, or names a member twice, goes to `faults` as INVALID_JSON; what no
 * database column can hold, as VALIDATION_FAILED. A byte order mark is skipped. Source: RFC 8259, sections 4 and 8.1.
 */
export function parseBody(bytes: Buffer, kind: BodyKind, faults: Faults): unknown {
  const refuse = (message: string) => faults.add('INVALID_JSON', { path: 'body', code: 'malformed', message })
  if (bytes.length === 0) return refuse('is missing')
  let text: string
  let value: unknown
  try {
    text = kind === 'form' ? bytes.toString('latin1') : utf8.decode(bytes)
    value = kind === 'form' ? parseForm(text) : JSON.parse(text)
  } catch {
    return refuse('is not well-formed JSON in UTF-8')
  }
  const { hazards, twice, cut } = findHazards(value, kind === 'form' ? null : text)
  for (const hazard of hazards) faults.add('VALIDATION_FAILED', hazard)
  if (twice) refuse('names a member of an object twice')
  return cut ? undefined : value
}

/** The fields of an HTML form; of a name sent twice the last counts. Source: WHATWG URL, section 5. */
function parseForm(text: string): unknown {
  return Object.fromEntries(new URLSearchParams(text))
}
