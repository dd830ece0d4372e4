import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { spawnTied } from '../../../core/embedded/tied-process.ts'
import { findFreePort } from '../../../core/start/ports.ts'
import { getSignerSocketPath } from '../../../core/start/socket.ts'
import { createTestEnvironment } from '../environment.ts'
import type { PlatformUnderTest } from '../platform.ts'
import { isRunning } from '../processes.ts'

/** One more API process beside a platform's own, on the same database and the same Redis. */
export interface SecondServer {
  api: string
  pid: number
  /** Lines that it wrote. */
  lines: string[]
  /** Starts to read its output, if it was started without being read. */
  read(): void
  kill(signal?: NodeJS.Signals): void
  /** Resolves with its exit code, null after a signal. */
  ended: Promise<number | null>
}

const apiEntry = join(import.meta.dirname, '../../../core/server.ts')

/** The settings with which a second server makes wallets by the platform's own signer, and reads what it has sealed. */
export function readSigningSettings({ dataDir }: Pick<PlatformUnderTest, 'dataDir'>): NodeJS.ProcessEnv {
  const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>
  return {
    KEY_ENCRYPTION_KEY: secrets['KEY_ENCRYPTION_KEY'],
    SIGNER_SECRET: secrets['SIGNER_SECRET'],
    SIGNER_SOCKET: getSignerSocketPath(dataDir),
  }
}

export async function startSecondServer(
  { database, redis, dataDir }: PlatformUnderTest,
  env: NodeJS.ProcessEnv = {},
  { isRead = true, entry = apiEntry } = {},
): Promise<SecondServer> {
  const port = await findFreePort()
  const api = `http://127.0.0.1:${port}`
  const child = spawnTied(
    [process.execPath, entry],
    { signal: 'SIGKILL' },
    {
      env: createTestEnvironment({
        PORT: String(port),
        BASE_URL: api,
        DATABASE_URL: database,
        REDIS_URL: redis,
        DATA_DIR: dataDir,
        SESSION_SECRET: 'a secret of tests only',
        KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        ...env,
      }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  const lines: string[] = []
  const read = () => {
    for (const output of [child.stdout, child.stderr])
      if (output) createInterface({ input: output }).on('line', (line) => lines.push(line))
  }
  if (isRead) read()
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const ready = once(child, 'message').then(() => true)
  if (!(await Promise.race([ready, ended.then(() => false)])))
    throw new Error(`The second server ended:\n${lines.join('\n')}`)
  const pid = child.pid ?? 0
  return {
    api,
    pid,
    lines,
    read,
    ended,
    kill: (signal = 'SIGKILL') => {
      if (isRunning(pid)) process.kill(pid, signal)
    },
  }
}
