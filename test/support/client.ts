import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request, type Dispatcher } from 'undici'
import { platform } from './platform.ts'
import { judge } from './reality.ts'

export interface Answer<T = Json> {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Parsed JSON, or null where the answer is none. */
  body: T
  bytes: Buffer
  text: string
}

/** What a test reads of JSON without casting at every step: members are looked up, never assumed. */
export interface Json { [name: string]: Json & string & number & boolean & Json[] }

export interface Credential { key?: string; bearer?: string; cookie?: string }
export interface Options { headers?: Record<string, string>; raw?: string | Buffer; base?: string; unjudged?: boolean }

export interface Client {
  get(path: string, options?: Options): Promise<Answer>
  post(path: string, body?: unknown, options?: Options): Promise<Answer>
  patch(path: string, body?: unknown, options?: Options): Promise<Answer>
  put(path: string, body?: unknown, options?: Options): Promise<Answer>
  delete(path: string, options?: Options): Promise<Answer>
  send(method: string, path: string, body?: unknown, options?: Options): Promise<Answer>
}

/**
 * A REST client as a user would write it. Every answer is held against the document: an undeclared status, code or
 * member fails the test that saw it. @param credential a key's secret, or how to sign the requests; none: anonymous
 */
export function client(credential: string | Credential = {}, base?: string): Client {
  const signed = signature(typeof credential === 'string' ? { key: credential } : credential)
  const send = async (method: string, path: string, body?: unknown, options: Options = {}): Promise<Answer> => {
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await request(`${options.base ?? base ?? platform.api}${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...signed, ...options.headers },
      ...(payload !== undefined && { body: payload }),
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    const text = plainOf(bytes, answer.headers['content-encoding']).toString('utf8')
    const type = String(answer.headers['content-type'] ?? '')
    const parsed = /json/.test(type) && text !== '' ? JSON.parse(text) as Json : null
    if (!options.unjudged) judge({ method, path, status: answer.statusCode, type, body: parsed, headers: answer.headers })
    return { status: answer.statusCode, headers: answer.headers, body: parsed as Json, bytes, text }
  }
  return {
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    delete: (path, options) => send('DELETE', path, undefined, options),
  }
}

function plainOf(bytes: Buffer, coding: unknown): Buffer {
  if (coding === 'br') return brotliDecompressSync(bytes)
  return coding === 'gzip' ? gunzipSync(bytes) : bytes
}

function signature({ key, bearer, cookie }: Credential): Record<string, string> {
  return { ...(key !== undefined && { 'x-api-key': key }), ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }), ...(cookie !== undefined && { cookie }) }
}
