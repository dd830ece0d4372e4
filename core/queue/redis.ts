import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'

interface DriverClient extends EventEmitter { end(flush: boolean): void }

/** The driver that bee-queue itself uses: it takes no client of a newer one. */
const driver = createRequire(createRequire(import.meta.url).resolve('bee-queue'))('redis') as
  { createClient(options: object): DriverClient }

/** What that driver takes. */
export interface RedisAddress {
  host: string
  port: number
  db: number
  user?: string
  password?: string
  tls?: { servername: string }
}

/** `redis[s]://[user[:password]@]host[:port][/database]` as options. */
export function redisAddress(url: string): RedisAddress {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    host: host || '127.0.0.1',
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    ...(username && { user: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: { servername: host } }),
  }
}

/**
 * The connections of one queue. The queue would make them itself, but would hear their errors only once they are
 * ready: an error before would end the process, and a connection that hangs could not be ended.
 */
export class Wires {
  readonly #clients: DriverClient[] = []

  constructor(queue: EventEmitter, address: RedisAddress) {
    const makeClient = async (name: string) => {
      const client = driver.createClient({
        ...address, retry_strategy: () => new Error('Redis is gone'), socket_initial_delay: 10_000,
      })
      this.#clients.push(client)
      client.on('error', (cause) => queue.emit('error', cause))
      await new Promise<void>((resolve) => client.once('ready', resolve))
      return Object.assign(queue, { [name]: client })
    }
    Object.assign(queue, { makeClient })
  }

  end(): void {
    for (const client of this.#clients) client.end(true)
  }
}
