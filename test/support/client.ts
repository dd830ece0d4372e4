import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request, type Dispatcher } from 'undici'
import { platform } from './platform.ts'
import { assertDeclaredAnswer } from './declared-answers.ts'

export interface Answer<T = Json> {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The parsed JSON, or null if the answer is not JSON. */
  body: T
  bytes: Buffer
  text: string
}

/** JSON as tests read it, without a cast at every step: members are looked up, never assumed. */
export interface Json {
  [name: string]: Json & string & number & boolean & Json[]
}

export interface ClientCredential {
  key?: string
  bearer?: string
  cookie?: string
}
export interface RequestOptions {
  headers?: Record<string, string>
  raw?: string | Buffer
  base?: string
  skipsDocumentCheck?: boolean
}

export interface Client {
  get(path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  delete(path: string, options?: RequestOptions): Promise<Answer>
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
}

/**
 * Creates a REST client as a user would write it. Every answer is checked against the document: an undeclared status,
 * code or member fails the test.
 * @param credential the secret of a key, or how to sign the requests; without it the requests are anonymous
 */
export function createApiClient(credential: string | ClientCredential = {}, base?: string): Client {
  const credentialHeaders = createCredentialHeaders(typeof credential === 'string' ? { key: credential } : credential)
  const send = async (method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> => {
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await request(`${options.base ?? base ?? platform.api}${path}`, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...credentialHeaders,
        ...options.headers,
      },
      ...(payload !== undefined && { body: payload }),
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    const text = decodeBody(bytes, answer.headers['content-encoding']).toString('utf8')
    const type = String(answer.headers['content-type'] ?? '')
    const parsed = /json/.test(type) && text !== '' ? (JSON.parse(text) as Json) : null
    if (!options.skipsDocumentCheck)
      assertDeclaredAnswer({ method, path, status: answer.statusCode, type, body: parsed, headers: answer.headers })
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

function decodeBody(bytes: Buffer, coding: unknown): Buffer {
  if (coding === 'br') return brotliDecompressSync(bytes)
  return coding === 'gzip' ? gunzipSync(bytes) : bytes
}

function createCredentialHeaders({ key, bearer, cookie }: ClientCredential): Record<string, string> {
  return {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(cookie !== undefined && { cookie }),
  }
}
