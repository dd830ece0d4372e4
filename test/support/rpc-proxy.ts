import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Call { id: number; method: string; params: unknown[] }

/** A way to a node that can be made bad. */
export interface RpcProxy {
  url: string
  /** Requests with this method reach the node, and their answers get lost, so many times. */
  lose(method: string, times: number): void
  /** Milliseconds that every answer is late. */
  delay: number
  /** Whether more than one call a request is refused. */
  single: boolean
  /** What the node says to a raw transaction instead of taking it; null: it takes it. */
  refuses: (raw: string) => string | null
  requests: number
  stop(): Promise<void>
}

export async function startRpcProxy(target: () => string): Promise<RpcProxy> {
  const losses = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      proxy.requests++
      const body = await bodyOf(request)
      const calls = JSON.parse(body) as Call | Call[]
      if (proxy.single && Array.isArray(calls)) {
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } }))
        return
      }
      const text = await answerTo(calls)
      await new Promise((resolve) => setTimeout(resolve, proxy.delay))
      const lost = [calls].flat().some(({ method }) => loses(method))
      if (lost) request.socket.destroy()
      else response.setHeader('content-type', 'application/json').end(text)
    })().catch(() => request.socket.destroy())
  })
  const answerTo = async (calls: Call | Call[]): Promise<string> => {
    const all = [calls].flat()
    const refused = all.flatMap(({ id, method, params: [raw] }) => {
      const message = method === 'eth_sendRawTransaction' ? proxy.refuses(String(raw)) : null
      return message === null ? [] : [{ jsonrpc: '2.0', id, error: { code: -32000, message } }]
    })
    const left = all.filter(({ id }) => !refused.some((one) => one.id === id))
    const body = JSON.stringify(left)
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const answers = left.length === 0 ? [] : await (await fetch(target(), options)).json() as unknown[]
    const given = [...answers, ...refused]
    return JSON.stringify(Array.isArray(calls) ? given : given[0])
  }
  const loses = (method: string) => {
    const left = losses.get(method) ?? 0
    losses.set(method, left - 1)
    return left > 0
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-of-the-operator`,
    lose: (method, times) => { losses.set(method, times) },
    delay: 0,
    single: false,
    refuses: () => null,
    requests: 0,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
