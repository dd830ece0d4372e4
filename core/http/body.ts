import { koaBody } from 'koa-body'
import type { Context as KoaContext } from 'koa'
import { problem, type Violation } from '../kernel/problem.ts'
import type { Code } from '../kernel/codes.ts'
import { pathOf } from './validate.ts'

const jsonTypes = ['application/json']
const patchTypes = ['application/json', 'application/merge-patch+json']
const formTypes = ['application/x-www-form-urlencoded']
/** Deeper JSON than this is nobody's data. */
const maxDepth = 64

export interface Body { value: unknown; bytes: Buffer }

export interface BodyOptions { limit: number; tooLarge: Code; kind: 'json' | 'patch' | 'form'; optional: boolean }

/**
 * Reads a JSON body, or a page's form, up to its limit. @throws 415 for another content type, 413 past the limit (nothing kept),
 * INVALID_JSON for what is not JSON in UTF-8, 422 for text that no database column can hold.
 */
export async function readBody(ctx: KoaContext, options: BodyOptions): Promise<Body> {
  const types = { json: jsonTypes, patch: patchTypes, form: formTypes }[options.kind]
  const declared = Number(ctx.request.headers['content-length'] ?? 0)
  const empty = declared === 0 && ctx.request.headers['transfer-encoding'] === undefined
  if (!empty && !ctx.request.is(types)) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', `This route takes ${types.join(' or ')}.`)
  }
  if (declared > options.limit) throw tooLarge(options)
  const bytes = empty ? Buffer.alloc(0) : await readBytes(ctx, types, options)
  if (bytes.length === 0) {
    if (options.optional) return { value: undefined, bytes }
    throw problem('INVALID_JSON', 'The request has no body.', { path: 'body' })
  }
  const value = options.kind === 'form' ? parseForm(bytes) : parseJson(bytes)
  const hazards = hazardsOf(value)
  if (hazards.length > 0) throw problem('VALIDATION_FAILED', `${hazards[0]?.path}: ${hazards[0]?.message}`, { errors: hazards })
  return { value, bytes }
}

const tooLarge = (options: BodyOptions) =>
  problem(options.tooLarge, `The body is larger than the ${options.limit} bytes this route takes.`)

async function readBytes(ctx: KoaContext, types: string[], options: BodyOptions): Promise<Buffer> {
  const read = koaBody({
    json: false, urlencoded: false, multipart: false, text: true, textTypes: types, textLimit: options.limit, encoding: 'latin1',
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => { throw bodyError(error, options) },
  })
  await read(ctx as never, async () => undefined)
  const text = (ctx.request as { body?: unknown }).body
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : Buffer.alloc(0)
}

function bodyError(error: unknown, options: BodyOptions): Error {
  const { status, type } = error as { status?: number; type?: string }
  if (status === 413 || type === 'entity.too.large') return tooLarge(options)
  if (status === 415) return problem('UNSUPPORTED_MEDIA_TYPE', 'The body has a content encoding this route does not take.', { cause: error })
  return problem('INVALID_JSON', 'The body ended early or could not be decoded.', { cause: error })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw problem('INVALID_JSON', 'The body is not well-formed JSON in UTF-8.', { path: 'body', cause })
  }
}

/** The fields of an HTML form; of a name sent twice the last counts. Source: WHATWG URL, section 5. */
function parseForm(bytes: Buffer): unknown {
  return Object.fromEntries(new URLSearchParams(bytes.toString('latin1')))
}

interface Visit { value: unknown; pointer: string; depth: number }

/** What JSON allows and storage does not: NUL, lone surrogates, numbers past the range, nesting without end. */
function hazardsOf(root: unknown): Violation[] {
  const found: Violation[] = []
  const stack: Visit[] = [{ value: root, pointer: '', depth: 0 }]
  const report = (pointer: string, code: string, message: string) => found.push({ path: pathOf(pointer) || 'body', code, message })
  for (let visit = stack.pop(); visit && found.length < 100; visit = stack.pop()) {
    const { value, pointer, depth } = visit
    if (typeof value === 'string' && isHazard(value)) report(pointer, 'text', 'has a character that is not text')
    else if (typeof value === 'number' && !Number.isFinite(value)) report(pointer, 'not_finite', 'is past the range of a number')
    else if (typeof value === 'object' && value !== null) {
      if (depth >= maxDepth) report(pointer, 'too_deep', `nests deeper than ${maxDepth}`)
      else pushMembers(stack, value, pointer, depth, report)
    }
  }
  return found
}

const isHazard = (text: string) => text.includes('\0') || !text.isWellFormed()

function pushMembers(stack: Visit[], value: object, pointer: string, depth: number, report: (p: string, c: string, m: string) => void): void {
  if (Array.isArray(value)) {
    value.forEach((item, at) => stack.push({ value: item, pointer: `${pointer}/${at}`, depth: depth + 1 }))
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (isHazard(name)) report(pointer, 'name', 'has a member name that is not text')
    else stack.push({ value: member, pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth: depth + 1 })
  }
}
