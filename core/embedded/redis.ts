import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { foreignPart, keepPart, type Part, type Surroundings } from './part.ts'
import { redisProgram } from './redis.program.ts'
import { keptSecrets, randomHex } from './secrets.ts'

export interface RedisOptions extends Surroundings {
  /** A server that somebody else runs. */
  url?: string | undefined
  warn: (message: string) => void
}

/**
 * Redis: the given one, else `redis-server` or `valkey-server` on a free port of 127.0.0.1 with an append-only file.
 * Undefined when no server can be had: jobs are then delivered by the database alone.
 */
export async function startRedis({ url, dataDir, giveUp, warn }: RedisOptions): Promise<Part | undefined> {
  if (url !== undefined) return foreignPart(url, 'REDIS_URL')
  const program = await redisProgram().catch((cause: Error) => {
    warn(`No Redis: ${cause.message.trim()}. Jobs are delivered by the database alone, rate limits count per process.`)
    return undefined
  })
  if (!program) return undefined
  const folder = join(dataDir, 'redis')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { password } = keptSecrets(join(dataDir, 'redis.json'), () => ({ password: randomHex(24) }))
  const { kept, port } = await keepPart({
    name: 'redis',
    log: join(dataDir, 'logs/redis.log'),
    stopSignal: 'SIGTERM',
    stopPatience: 10_000,
    launch: async (port) => ({
      command: [program.path, '-'],
      tie: { signal: 'SIGTERM' },
      cwd: folder,
      env: program.env,
      stdin: configuration(port, folder, password),
    }),
    probe: (port) => ping(port, password),
  }, giveUp)
  return {
    url: redisUrl(password, port),
    source: program.source,
    get pid() { return kept.pid },
    ready: kept.ready,
    stop: kept.stop,
  }
}

const redisUrl = (password: string, port: number) => `redis://:${password}@127.0.0.1:${port}`

/** Everything written is on disk within a second; a truncated end of the file, as a kill leaves it, is cut off. */
const configuration = (port: number, folder: string, password: string) => `
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

/** Two commands in the protocol's inline form: the answers are `+OK` and `+PONG`. */
async function ping(port: number, password: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.setTimeout(1000, () => socket.destroy(new Error('no answer within 1 s')))
  socket.write(`AUTH ${password}\r\nPING\r\nQUIT\r\n`)
  const answer = await text(socket)
  if (!answer.includes('+PONG')) throw new Error(answer)
}
