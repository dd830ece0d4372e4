import { Agent, request as plain, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as secure } from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseJson } from '../../../kernel/json/values.ts'
import { NodeUnavailableError } from '../../family.ts'

export interface RpcCall {
  method: string
  params: readonly unknown[]
}

/** Thrown when the node itself answers that a call failed. The message is internal and is never shown to callers. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface RpcRequest {
  jsonrpc: '2.0'
  method: string
  params: readonly unknown[]
  id: number
}
interface RpcResponse {
  id: number
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

export interface Rpc {
  /** @throws RpcError, NodeUnavailableError */
  call<T>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Sends several calls at once. The error of a call is returned as its answer. @throws NodeUnavailableError */
  callAll(calls: readonly RpcCall[]): Promise<unknown[]>
}

const limits = { timeoutMs: 10_000, maxCalls: 50, maxBytes: 64 * 1024 * 1024 }
/** Error codes that mean "not now": resource unavailable, limit exceeded, and the codes of rate limits. */
const temporaryErrorCodes = new Set([-32002, -32005, -32097, 429])

/**
 * Creates a JSON-RPC client over HTTP. All calls of one turn of the event loop go in one request, at most
 * `limits.maxCalls` per request. Source: JSON-RPC 2.0.
 */
export function createRpc(url: string): Rpc {
  const post = createCallPoster(url)
  let waiting: { call: RpcCall; resolve: (answer: unknown) => void; reject: (cause: unknown) => void }[] = []
  const flush = () => {
    const calls = waiting
    waiting = []
    for (let from = 0; from < calls.length; from += limits.maxCalls) {
      const chunk = calls.slice(from, from + limits.maxCalls)
      post(chunk.map(({ call }) => call)).then(
        (answers) => chunk.forEach(({ resolve }, index) => resolve(answers[index])),
        (cause: unknown) => chunk.forEach(({ reject }) => reject(cause)),
      )
    }
  }
  const enqueueCall = (call: RpcCall) =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.push({ call, resolve, reject }) === 1) setImmediate(flush)
    })
  return {
    async call<T>(method: string, ...params: readonly unknown[]) {
      const answer = await enqueueCall({ method, params })
      if (answer instanceof RpcError) throw isTemporary(answer) ? createUnavailableError(answer) : answer
      return answer as T
    },
    async callAll(calls) {
      const answers = await Promise.all(calls.map(enqueueCall))
      const trouble = answers.find((answer) => answer instanceof RpcError && isTemporary(answer))
      if (trouble) throw createUnavailableError(trouble)
      return answers
    },
  }
}

/** Creates a function that sends calls and returns their answers in the same order, including errors. */
function createCallPoster(url: string): (calls: readonly RpcCall[]) => Promise<unknown[]> {
  const poster = createJsonPoster(url, limits)
  let takesBatches = true
  const request = (body: RpcRequest | RpcRequest[]) =>
    poster(body).catch((cause: unknown) => {
      // The cause is not attached, because it may contain the address, in which operators keep keys.
      throw new NodeUnavailableError(
        `the node does not answer (${cause instanceof PostError ? cause.message : 'unknown'})`,
      )
    })
  return async function post(calls) {
    const bodies = calls.map(({ method, params }, id): RpcRequest => ({ jsonrpc: '2.0', method, params, id }))
    const inOne = takesBatches && bodies.length > 1
    const answers: unknown = inOne ? await request(bodies) : await Promise.all(bodies.map(request))
    if (!Array.isArray(answers)) {
      // Some nodes take only one call per request.
      takesBatches = false
      return post(calls)
    }
    const responses = (answers as (RpcResponse | null)[]).filter(
      (answer) => answer !== null && typeof answer === 'object',
    )
    const byId = new Map(responses.map((answer) => [answer.id, answer]))
    return bodies.map(({ id }) => {
      const answer = byId.get(id)
      if (!answer) throw new NodeUnavailableError('the node left a call unanswered')
      const { error } = answer
      return error ? new RpcError(error.code, error.message, error.data) : answer.result
    })
  }
}

const isTemporary = (error: RpcError) => temporaryErrorCodes.has(error.code) && !isRevert(error)
const createUnavailableError = (cause: unknown) => new NodeUnavailableError('the node cannot do it now', { cause })

/** Checks whether the error is a revert of the contract. Nodes agree more on the word than on the code. */
export function isRevert(error: RpcError): boolean {
  return error.code === 3 || /revert/i.test(error.message)
}

const unpack = promisify(gunzip)

/** The limits of an answer: its time in milliseconds and its size in bytes. */
interface PostLimits {
  timeoutMs: number
  maxBytes: number
}

/**
 * Thrown when a request fails. The message is an HTTP status, a code of the operating system or the name of an error.
 */
class PostError extends Error {
  override name = 'PostError'
}

/**
 * Creates a function that posts JSON to one address and reads JSON, on connections that stay open. It does not use
 * `fetch`, which takes 15 MB of memory in a process that uses it for nothing else. No redirect is followed. The node's
 * own error (`{error: {code, message}}`) is an answer, whatever the HTTP status. The created function throws PostError.
 */
export function createJsonPoster(
  address: string,
  { timeoutMs, maxBytes }: PostLimits,
): (body: unknown) => Promise<unknown> {
  const url = new URL(address)
  const isSecure = url.protocol === 'https:'
  // Most nodes that do not announce how long they keep a connection keep it for 5 s.
  const agentOptions = { keepAlive: true, timeout: 4_000, ...getProxyOptions() }
  const agent = isSecure ? new TlsAgent(agentOptions) : new Agent(agentOptions)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'Tessera',
  }
  return async (body) => {
    const text = JSON.stringify(body)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = {
          method: 'POST',
          agent,
          signal,
          headers: { ...headers, 'content-length': Buffer.byteLength(text) },
        }
        const outgoing = (isSecure ? secure : plain)(url, options, resolve)
        outgoing.on('error', reject).end(text)
      })
      return parseAnswer(response, await readText(response, maxBytes))
    } catch (cause) {
      throw cause instanceof PostError ? cause : new PostError(signal.aborted ? 'TimeoutError' : getErrorCode(cause))
    }
  }
}

/**
 * Returns the proxy settings of the operator, for connections that leave the machine. Source: Node.js,
 * `NODE_USE_ENV_PROXY`.
 */
const getProxyOptions = () => (process.env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: process.env } : {})

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > maxBytes) throw new PostError('ERR_BUFFER_TOO_LARGE')
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  const packed = response.headers['content-encoding'] === 'gzip'
  return `${packed ? await unpack(body, { maxOutputLength: maxBytes }) : body}`
}

function parseAnswer({ statusCode = 500 }: IncomingMessage, text: string): unknown {
  const isGood = statusCode >= 200 && statusCode < 300
  const answer = parseJson(text)
  if (isGood ? answer !== undefined : isErrorAnswer(answer)) return answer
  throw new PostError(isGood ? 'SyntaxError' : `HTTP ${statusCode}`)
}

function isErrorAnswer(answer: unknown): boolean {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } | null }
  return typeof error?.code === 'number' && typeof error.message === 'string'
}

function getErrorCode(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown'
  const { code } = cause as Error & { code?: string }
  if (typeof code === 'string') return code
  return cause.cause instanceof Error ? getErrorCode(cause.cause) : cause.name
}
