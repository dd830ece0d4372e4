import { NodeUnavailableError } from '../../family.ts'
import { PostError, createJsonPoster } from './http-post.ts'

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
