import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface RpcCall {
  id: number
  method: string
  params: unknown[]
}

/** A proxy for a node that can simulate faults. */
export interface RpcProxy {
  url: string
  /** Loses the answers to the next requests with this method; the requests still reach the node. */
  loseAnswers(method: string, times: number): void
  /** The delay of every answer in milliseconds. */
  delayMs: number
  /** Whether requests with more than one call are refused. */
  refusesBatches: boolean
  /** Returns the error message for a raw transaction that should be refused; null passes it on to the node. */
  findRefusal: (raw: string) => string | null
  requestCount: number
  stop(): Promise<void>
}

export async function startRpcProxy(getTargetUrl: () => string): Promise<RpcProxy> {
  const remainingLosses = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      proxy.requestCount++
      const body = await readBody(request)
      const calls = JSON.parse(body) as RpcCall | RpcCall[]
      if (proxy.refusesBatches && Array.isArray(calls)) {
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } }))
        return
      }
      const text = await forwardCalls(calls)
      await new Promise((resolve) => setTimeout(resolve, proxy.delayMs))
      const lost = [calls].flat().some(({ method }) => shouldLoseAnswer(method))
      if (lost) request.socket.destroy()
      else response.setHeader('content-type', 'application/json').end(text)
    })().catch(() => request.socket.destroy())
  })
  const forwardCalls = async (calls: RpcCall | RpcCall[]): Promise<string> => {
    const allCalls = [calls].flat()
    const refusals = allCalls.flatMap(({ id, method, params: [raw] }) => {
      const message = method === 'eth_sendRawTransaction' ? proxy.findRefusal(String(raw)) : null
      return message === null ? [] : [{ jsonrpc: '2.0', id, error: { code: -32000, message } }]
    })
    const left = allCalls.filter(({ id }) => !refusals.some((one) => one.id === id))
    const body = JSON.stringify(left)
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const answers = left.length === 0 ? [] : ((await (await fetch(getTargetUrl(), options)).json()) as unknown[])
    const given = [...answers, ...refusals]
    return JSON.stringify(Array.isArray(calls) ? given : given[0])
  }
  const shouldLoseAnswer = (method: string) => {
    const left = remainingLosses.get(method) ?? 0
    remainingLosses.set(method, left - 1)
    return left > 0
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-of-the-operator`,
    loseAnswers: (method, times) => {
      remainingLosses.set(method, times)
    },
    delayMs: 0,
    refusesBatches: false,
    findRefusal: () => null,
    requestCount: 0,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
