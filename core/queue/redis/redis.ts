import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'

interface DriverClient extends EventEmitter {
  end(flush: boolean): void
}

/** The Redis driver of bee-queue, which does not accept a client of a newer driver. */
const driver = createRequire(createRequire(import.meta.url).resolve('bee-queue'))('redis') as {
  createClient(options: object): DriverClient
}

/** The options of that driver. */
export interface RedisAddress {
  host: string
  port: number
  db: number
  user?: string
  password?: string
  tls?: { servername: string }
}

/** Parses `redis[s]://[user[:password]@]host[:port][/database]` to options of the driver. */
export function parseRedisUrl(url: string): RedisAddress {
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
 * The connections of one queue. If the queue created them itself, it would receive their errors only after they are
 * ready: an earlier error would end the process, and a connection that hangs could not be closed.
 */
export class RedisConnections {
  readonly #clients: DriverClient[] = []

  constructor(queue: EventEmitter, address: RedisAddress) {
    const makeClient = async (name: string) => {
      const client = driver.createClient({
        ...address,
        retry_strategy: () => new Error('Redis is gone'),
        socket_initial_delay: 10_000,
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
