import { getHttpRpcClient } from 'viem/utils'
import { NodeUnavailable } from '../family.ts'

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

export interface Rpc {
  /** @throws RpcError, NodeUnavailable */
  ask<T>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Several calls in as few requests as possible; a call's error is its answer. @throws NodeUnavailable */
  askAll(calls: readonly Call[]): Promise<unknown[]>
}

const limits = { patience: 10_000, calls: 50, bytes: 64 * 1024 * 1024 }
/** Errors that say "not now": internal error, resource unavailable, limit exceeded, and the codes of rate limits. */
const passing = new Set([-32603, -32002, -32005, -32097, 429])

/** JSON-RPC over HTTP. Source: JSON-RPC 2.0, Ethereum execution APIs. */
export function rpcOf(url: string): Rpc {
  const client = getHttpRpcClient(url, { timeout: limits.patience, maxResponseBodySize: limits.bytes })
  const post = async (calls: readonly Call[]): Promise<unknown[]> => {
    const body = calls.map(({ method, params }, id) => ({ method, params, id }))
    const answers = await client.request({ body }).catch((cause: unknown) => {
      throw new NodeUnavailable('the node does not answer', { cause })
    })
    if (!Array.isArray(answers)) throw new NodeUnavailable('the node refuses several calls in one request')
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return calls.map((_, id) => {
      const answer = byId.get(id)
      if (!answer) throw new NodeUnavailable('the node left a call unanswered')
      const { error } = answer
      return error ? new RpcError(error.code, error.message, error.data) : answer.result
    })
  }
  const rpc: Rpc = {
    async ask<T>(method: string, ...params: readonly unknown[]) {
      const [answer] = await post([{ method, params }])
      if (answer instanceof RpcError) throw passing.has(answer.code) && !reverts(answer) ? notNow(answer) : answer
      return answer as T
    },
    async askAll(calls) {
      const answers: unknown[] = []
      for (let from = 0; from < calls.length; from += limits.calls) {
        answers.push(...await post(calls.slice(from, from + limits.calls)))
      }
      const trouble = answers.find((answer) => answer instanceof RpcError && passing.has(answer.code) && !reverts(answer))
      if (trouble) throw notNow(trouble)
      return answers
    },
  }
  return rpc
}

const notNow = (cause: unknown) => new NodeUnavailable('the node cannot do it now', { cause })

/** Whether the error is the contract's own refusal. Nodes agree on the word more than on the code (3, -32000, -32015). */
export function reverts(error: RpcError): boolean {
  return error.code === 3 || /revert/i.test(error.message)
}
