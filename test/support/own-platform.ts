import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { runPlatform, type Platform, type PlatformOptions } from '../../core/start/platform.ts'
import { copyPreparedCluster } from './database/prepared-cluster.ts'
import { createTestEnvironment } from './environment.ts'
import { createTemporaryFolder, removeFolder } from './folders.ts'
// Not for its type alone: it loads the registry, as tests of the shared platform do.
import { type PlatformUnderTest } from './platform.ts'

export interface OwnPlatform extends PlatformUnderTest {
  children: Platform['children']
  parts: Platform['parts']
  /** All lines that the children wrote. */
  lines: string[]
  /** Stops everything and removes the data folder, unless the test provided the folder. */
  stop(): Promise<void>
}

export interface OwnPlatformOptions {
  /** Settings in addition to the usual ones of tests. */
  env?: NodeJS.ProcessEnv
  /** The ports to use, for example those of an earlier platform; free ports by default. */
  ports?: { PORT: string; BRIDGE_PORT: string }
  /** A folder that is kept when the platform stops, so that another platform can find its data. */
  dataDir?: string
  faults?: PlatformOptions['faults']
  entries?: PlatformOptions['entries']
  /** True for tests of the bridge's process. The others speak to the API, and an idle process is in its place. */
  needsBridge?: boolean
  database?: PlatformOptions['database']
  keeperDelays?: PlatformOptions['keeperDelays']
  /** True for measurements: data survives a power cut, as in production. */
  durable?: boolean
  /** Called when a part dies five times within a minute; without it the test process ends. */
  giveUp?: (cause: Error) => void
}

const entriesWithoutBridge: NonNullable<PlatformOptions['entries']> = {
  signer: 'core/signer.ts',
  server: 'core/server.ts',
  worker: 'core/worker.ts',
  bridge: 'test/support/children/idle.ts',
}

/**
 * Starts a platform for one test on free ports, for tests with kills, limits or other settings. A new folder begins with
 * a copy of the run's prepared database; its demo is made by this start. The real first start, from an empty folder, is
 * that of `npm start` in test/core/start and test/readme.test.ts, and that of platforms with steps on the database of
 * their own.
 */
export async function startPlatform(options: OwnPlatformOptions = {}): Promise<OwnPlatform> {
  const { env, ports, dataDir = createTemporaryFolder(), giveUp = rethrow, needsBridge = false, ...rest } = options
  const lines: string[] = []
  if (options.database === undefined && env?.['DATABASE_URL'] === undefined) await copyPreparedCluster(dataDir)
  const running = await runPlatform({
    ...(needsBridge ? {} : { entries: entriesWithoutBridge }),
    ...rest,
    env: createTestEnvironment({ ...env, ...ports, DATA_DIR: dataDir }),
    freePorts: ports === undefined,
    durable: options.durable ?? false,
    onLine: (name, text) => lines.push(`${name} ${text}`),
    warn: (message) => lines.push(`start ${message}`),
    giveUp,
  })
  return {
    ...describePlatform(running),
    children: running.children,
    parts: running.parts,
    lines,
    async stop() {
      closeIdleConnections()
      await running.stop()
      if (options.dataDir === undefined) await removeFolder(dataDir)
    },
  }
}

/** Closes what the clients of this process keep open. An API that stops would wait a second for their next requests. */
function closeIdleConnections(): void {
  const used = getGlobalDispatcher()
  setGlobalDispatcher(new Agent())
  void used.close()
}

function rethrow(cause: Error): never {
  throw cause
}

export function describePlatform({ settings, seeded, parts }: Platform): PlatformUnderTest {
  return {
    api: settings.baseUrl,
    bridge: settings.mcpUrl,
    outbox: `${settings.baseUrl}/dev/outbox.json`,
    ...seeded,
    database: parts.postgres.url,
    signerDatabase: parts.postgres.signerUrl,
    ...(parts.redis ? { redis: parts.redis.url } : {}),
    rpc: parts.anvil.url,
    dataDir: settings.dataDir,
  }
}
