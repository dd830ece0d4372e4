import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Hands connections on to one of several servers, and to another one when that one takes none. */
export interface Balancer {
  url: string
  /** Which server is asked first from now on. Resolves when clients have seen the end of the connections before. */
  prefer(index: number): Promise<void>
  stop(): Promise<void>
}

export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const ports = urls.map((url) => Number(new URL(url).port))
  const open = new Set<Socket>()
  let first = 0
  const server = createServer((client) => {
    open.add(client)
    client.once('close', () => open.delete(client)).on('error', () => client.destroy())
    reach(client, [...ports.slice(first), ...ports.slice(0, first)])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async prefer(index) {
      if (index === first) return
      first = index
      const ended = [...open].map((socket) => new Promise((resolve) => socket.once('close', resolve).end()))
      await Promise.all(ended)
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Joins a client to the first of these ports that answers; without one it is hung up. */
function reach(client: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined) return void client.destroy()
  const upstream = connect({ host: '127.0.0.1', port })
  upstream.once('error', () => reach(client, others))
  upstream.once('connect', () => {
    upstream.removeAllListeners('error').on('error', () => client.destroy())
    client.pipe(upstream).pipe(client)
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
  })
}
