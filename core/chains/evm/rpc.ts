import { NodeUnavailable } from '../family.ts'
import { PostFailed, posterTo } from './post.ts'

export interface Call { method: string; params: readonly unknown[] }

/** The node's own answer that a call cannot be done. Its text stays inside. */
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

interface Body { jsonrpc: '2.0'; method: string; params: readonly unknown[]; id: number }
interface RpcResponse { id: number; result?: unknown; error?: { code: number; message: string; data?: unknown } }

export interface Rpc {
  /** @throws RpcError, NodeUnavailable */
  ask<T>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Several calls at once; a call's error is its answer. @throws NodeUnavailable */
  askAll(calls: readonly Call[]): Promise<unknown[]>
}

const limits = { patience: 10_000, calls: 50, bytes: 64 * 1024 * 1024 }
/** Errors that say "not now": resource unavailable, limit exceeded, and the codes of rate limits. */
const passing = new Set([-32002, -32005, -32097, 429])

/** JSON-RPC over HTTP. What is asked for in one turn of the event loop goes in one request. Source: JSON-RPC 2.0. */
export function rpcOf(url: string): Rpc {
  const post = posterOf(url)
  let waiting: { call: Call; resolve: (answer: unknown) => void; reject: (cause: unknown) => void }[] = []
  const flush = () => {
    const those = waiting
    waiting = []
    for (let from = 0; from < those.length; from += limits.calls) {
      const some = those.slice(from, from + limits.calls)
      post(some.map(({ call }) => call)).then(
        (answers) => some.forEach(({ resolve }, index) => resolve(answers[index])),
        (cause: unknown) => some.forEach(({ reject }) => reject(cause)))
    }
  }
  const answerOf = (call: Call) => new Promise<unknown>((resolve, reject) => {
    if (waiting.push({ call, resolve, reject }) === 1) setImmediate(flush)
  })
  return {
    async ask<T>(method: string, ...params: readonly unknown[]) {
      const answer = await answerOf({ method, params })
      if (answer instanceof RpcError) throw isPassing(answer) ? notNow(answer) : answer
      return answer as T
    },
    async askAll(calls) {
      const answers = await Promise.all(calls.map(answerOf))
      const trouble = answers.find((answer) => answer instanceof RpcError && isPassing(answer))
      if (trouble) throw notNow(trouble)
      return answers
    },
  }
}

/** Sends calls and gives their answers in the same order, errors among them. */
function posterOf(url: string): (calls: readonly Call[]) => Promise<unknown[]> {
  const poster = posterTo(url, limits)
  let together = true
  const request = (body: Body | Body[]) => poster(body).catch((cause: unknown) => {
    // Not the cause itself: it may repeat the address, in which operators keep keys.
    throw new NodeUnavailable(`the node does not answer (${cause instanceof PostFailed ? cause.message : 'unknown'})`)
  })
  return async function post(calls) {
    const bodies = calls.map(({ method, params }, id): Body => ({ jsonrpc: '2.0', method, params, id }))
    const inOne = together && bodies.length > 1
    const answers: unknown = inOne ? await request(bodies) : await Promise.all(bodies.map(request))
    if (!Array.isArray(answers)) {
      // Some nodes take one call a request only.
      together = false
      return post(calls)
    }
    const told = (answers as (RpcResponse | null)[]).filter((answer) => answer !== null && typeof answer === 'object')
    const byId = new Map(told.map((answer) => [answer.id, answer]))
    return bodies.map(({ id }) => {
      const answer = byId.get(id)
      if (!answer) throw new NodeUnavailable('the node left a call unanswered')
      const { error } = answer
      return error ? new RpcError(error.code, error.message, error.data) : answer.result
    })
  }
}

const isPassing = (error: RpcError) => passing.has(error.code) && !reverts(error)
const notNow = (cause: unknown) => new NodeUnavailable('the node cannot do it now', { cause })

/** Whether the error is the contract's own refusal. Nodes agree on the word more than on the code. */
export function reverts(error: RpcError): boolean {
  return error.code === 3 || /revert/i.test(error.message)
}
