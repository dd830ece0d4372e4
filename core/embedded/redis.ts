import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createForeignPart, keepPart, type Part, type PartOptions } from './part.ts'
import { findRedisProgram } from './redis.program.ts'
import { readOrCreateSecrets, createRandomHex } from './secrets.ts'

export interface RedisOptions extends PartOptions {
  /** URL of a server that somebody else runs. */
  url?: string | undefined
  warn: (message: string) => void
}

/**
 * Starts Redis: uses the given server, or runs `redis-server` or `valkey-server` with an append-only file on a free
 * port of 127.0.0.1.
 * @returns undefined if no server is available: the database alone then delivers jobs
 */
export async function startRedis({ url, dataDir, giveUp, warn }: RedisOptions): Promise<Part | undefined> {
  if (url !== undefined) return createForeignPart(url, 'REDIS_URL')
  const program = await findRedisProgram().catch((cause: Error) => {
    warn(`No Redis: ${cause.message.trim()}. Jobs are delivered by the database alone, rate limits count per process.`)
    return undefined
  })
  if (!program) return undefined
  const folder = join(dataDir, 'redis')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { password } = readOrCreateSecrets(join(dataDir, 'redis.json'), () => ({ password: createRandomHex(24) }))
  const { kept, port } = await keepPart(
    {
      name: 'redis',
      logPath: join(dataDir, 'logs/redis.log'),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 10_000,
      launch: async (port) => ({
        command: [program.path, '-'],
        tie: { signal: 'SIGTERM' },
        cwd: folder,
        env: program.env,
        stdin: createConfiguration(port, folder, password),
      }),
      probePort: (port) => pingRedis(port, password),
    },
    giveUp,
  )
  return {
    url: createRedisUrl(password, port),
    source: program.source,
    get pid() {
      return kept.pid
    },
    ready: kept.ready,
    stop: kept.stop,
  }
}

const createRedisUrl = (password: string, port: number) => `redis://:${password}@127.0.0.1:${port}`

/**
 * Creates a configuration that writes everything to disk within a second. The incomplete end of a file after a kill is
 * cut off.
 */
const createConfiguration = (port: number, folder: string, password: string) => `
bind 127.0.0.1
port ${port}
dir "${folder.replace(/["\\]/g, '\\$&')}"
requirepass ${password}
appendonly yes
appendfsync everysec
aof-load-truncated yes
save ""
maxmemory-policy noeviction
`

/** Sends commands in the protocol's inline form. The answers to AUTH and PING are `+OK` and `+PONG`. */
async function pingRedis(port: number, password: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.setTimeout(1000, () => socket.destroy(new Error('no answer within 1 s')))
  socket.write(`AUTH ${password}\r\nPING\r\nQUIT\r\n`)
  const answer = await text(socket)
  if (!answer.includes('+PONG')) throw new Error(answer)
}
