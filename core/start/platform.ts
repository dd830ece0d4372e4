import { startAnvil } from '../embedded/anvil.ts'
import { startPostgres } from '../embedded/postgres/postgres.ts'
import { startRedis } from '../embedded/redis.ts'
import { assertWritableFolder } from '../kernel/process/data-folder.ts'
import { readSettings, SettingsError, type Settings } from '../app/settings.ts'
import { keepChild, type ChildPlan, type ChildOptions, type KeptChild } from './children.ts'
import {
  createBridgeEnvironment,
  createCommonEnvironment,
  createSignerEnvironment,
  addMetricsPort,
  createWorkerEnvironment,
  workerFlags,
  type PlatformParts,
} from './environment.ts'
import { lockFolder } from './lock.ts'
import { assertPortsFree, findFreePort } from './ports.ts'
import { productDatabase, type DatabaseSteps, type SeedResult } from './database-steps.ts'

export const childNames = ['signer', 'server', 'worker', 'bridge'] as const
export type ChildName = (typeof childNames)[number]

export interface PlatformOptions extends ChildOptions {
  env: NodeJS.ProcessEnv
  /** Uses free ports, whatever the environment says. */
  freePorts?: boolean
  durable?: boolean
  warn: (message: string) => void
  /** Fault points at which the first launch of a child ends. */
  faults?: Partial<Record<ChildName, string>> | undefined
  entries?: Record<ChildName, string> | undefined
  database?: DatabaseSteps | undefined
  /** Called with the name of each part before the part is stopped. */
  onStopping?: ((name: string) => void) | undefined
}

export interface Platform {
  settings: Settings
  seeded: SeedResult
  parts: PlatformParts
  children: Record<ChildName, KeptChild>
  stop(): Promise<void>
}

/** The entry points of the processes. */
const productEntries: Record<ChildName, string> = {
  signer: 'core/signer.ts',
  server: 'core/server.ts',
  worker: 'core/worker.ts',
  bridge: 'bridge/server.ts',
}

/** Starts everything on this machine and resolves when it serves. If one part fails, the others are stopped. */
export async function runPlatform(options: PlatformOptions): Promise<Platform> {
  const environment = await choosePorts(options)
  const startSettings = readSettings(environment)
  if (startSettings.production) {
    throw new SettingsError('NODE_ENV is production: run server, worker, signer and bridge each by itself')
  }
  assertWritableFolder(startSettings.dataDir)
  const unlock = lockFolder(startSettings.dataDir)
  const started = createStopStack(unlock, options.onStopping)
  try {
    const parts = await startParts(startSettings, options, started)
    const common = createCommonEnvironment(environment, startSettings, parts)
    const settings = readSettings(common)
    const { migrate, seed } = options.database ?? productDatabase
    await migrate(settings)
    const [seeded, children] = await Promise.all([seed(settings), startChildren(common, parts, options, started)])
    return { settings, seeded, parts, children, stop: started.stop }
  } catch (cause) {
    await started.stop()
    throw cause
  }
}

interface Stoppable {
  stop(): Promise<void>
}

/** Creates a list of started parts that stops them in reverse order, including parts that are still starting. */
function createStopStack(stopLast: () => void, onStopping: (name: string) => void = () => undefined) {
  const stops: (() => Promise<void>)[] = [async () => stopLast()]
  return {
    add<T extends Stoppable | undefined>(name: string, starting: Promise<T>): Promise<T> {
      stops.push(async () => {
        // The caller that waits for the start receives the failure. Here it only means that there is nothing to stop.
        const part = await starting.catch(() => undefined)
        if (!part) return
        onStopping(name)
        await part.stop()
      })
      return starting
    },
    async stop() {
      for (const each of stops.splice(0).reverse()) await each()
    },
  }
}

async function choosePorts({ env, freePorts }: PlatformOptions): Promise<NodeJS.ProcessEnv> {
  if (freePorts) return { ...env, PORT: `${await findFreePort()}`, BRIDGE_PORT: `${await findFreePort()}` }
  const { host, port, bridgePort, metricsPort } = readSettings(env)
  await assertPortsFree(host, {
    PORT: port,
    BRIDGE_PORT: bridgePort,
    METRICS_PORT: metricsPort,
  })
  return { ...env }
}

type StopStack = ReturnType<typeof createStopStack>

async function startParts(settings: Settings, options: PlatformOptions, started: StopStack): Promise<PlatformParts> {
  const { dataDir, databaseUrl, redisUrl, rpcUrls } = settings
  const { giveUp, warn, durable = true } = options
  const [postgres, redis, anvil] = await Promise.all([
    started.add('postgres', startPostgres({ url: databaseUrl, dataDir, giveUp, durable })),
    started.add('redis', startRedis({ url: redisUrl, dataDir, giveUp, warn })),
    started.add('anvil', startAnvil({ url: rpcUrls.EthereumAnvil, dataDir, giveUp, warn })),
  ])
  return { postgres, redis, anvil }
}

/** The settings of a child besides its environment. */
type ChildExtras = Partial<Pick<ChildPlan, 'flags' | 'isEssential' | 'needs'>> & { metrics?: number | undefined }

/**
 * Starts all children at once, except the bridge, which first needs the API's document. Each child is stopped before
 * those that it needs.
 */
async function startChildren(
  common: NodeJS.ProcessEnv,
  parts: PlatformParts,
  options: PlatformOptions,
  started: StopStack,
): Promise<Record<ChildName, KeptChild>> {
  const { metricsPort } = readSettings(common)
  const entries = options.entries ?? productEntries
  const start = async (name: ChildName, own: NodeJS.ProcessEnv, { metrics, ...extras }: ChildExtras = {}) => {
    const env = await addMetricsPort(own, metrics)
    const kept = keepChild({ name, entry: entries[name], env, ...extras, fault: options.faults?.[name] }, options)
    return started.add(name, Promise.resolve(kept))
  }
  const needs = parts.postgres.ready
  const signer = await start('signer', createSignerEnvironment(options.env, common, parts), {
    isEssential: true,
    needs,
  })
  const server = await start('server', common, { metrics: metricsPort, isEssential: true, needs })
  const worker = await start('worker', createWorkerEnvironment(common), { flags: workerFlags, needs })
  await Promise.all([signer, server, worker].map((each) => each.ready()))
  const bridge = await start('bridge', createBridgeEnvironment(common))
  await bridge.ready()
  return { signer, server, worker, bridge }
}
