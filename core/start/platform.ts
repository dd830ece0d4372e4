import { startAnvil } from '../embedded/anvil.ts'
import { startPostgres } from '../embedded/postgres.ts'
import { startRedis } from '../embedded/redis.ts'
import { demandWritableFolder } from '../kernel/data-folder.ts'
import { readSettings, SettingsError, type Settings } from '../settings.ts'
import { keepChild, type ChildPlan, type ChildSurroundings, type KeptChild } from './children.ts'
import { bridgeEnvironment, commonEnvironment, signerEnvironment, withMetrics, workerEnvironment, workerFlags, type Parts } from './environment.ts'
import { lockFolder } from './lock.ts'
import { demandPorts, freePort } from './ports.ts'
import { productDatabase, type DatabaseSteps, type Seeded } from './prepare.ts'

export const childNames = ['signer', 'server', 'worker', 'bridge'] as const
export type ChildName = (typeof childNames)[number]

export interface PlatformOptions extends ChildSurroundings {
  env: NodeJS.ProcessEnv
  /** Takes free ports whatever the environment says. */
  freePorts?: boolean
  durable?: boolean
  warn: (message: string) => void
  /** Where the first launch of a child ends. */
  faults?: Partial<Record<ChildName, string>> | undefined
  entries?: Record<ChildName, string> | undefined
  database?: DatabaseSteps | undefined
  /** Hears the name of each part before it is stopped. */
  stopping?: ((name: string) => void) | undefined
}

export interface Platform {
  settings: Settings
  seeded: Seeded
  parts: Parts
  children: Record<ChildName, KeptChild>
  stop(): Promise<void>
}

/** The files that run, by process. */
const productEntries: Record<ChildName, string> = {
  signer: 'core/signer.ts', server: 'core/server.ts', worker: 'core/worker.ts', bridge: 'bridge/server.ts',
}

/** Starts everything on this machine and resolves when it serves. When one part fails, the others are stopped. */
export async function runPlatform(options: PlatformOptions): Promise<Platform> {
  const given = await withPorts(options)
  const first = readSettings(given)
  if (first.production) {
    throw new SettingsError('NODE_ENV is production: run server, worker, signer and bridge each by itself')
  }
  demandWritableFolder(first.dataDir)
  const unlock = lockFolder(first.dataDir)
  const started = stack(unlock, options.stopping)
  try {
    const parts = await startParts(first, options, started)
    const common = commonEnvironment(given, first, parts)
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

/** What has been started, to be stopped in the reverse order, also what is still on its way when one of it failed. */
function stack(atLast: () => void, stopping: (name: string) => void = () => undefined) {
  const stops: (() => Promise<void>)[] = [async () => atLast()]
  return {
    add<T extends Stoppable | undefined>(name: string, starting: Promise<T>): Promise<T> {
      stops.push(async () => {
        // The failure itself reaches who waits for the start; here it only means that there is nothing to stop.
        const part = await starting.catch(() => undefined)
        if (!part) return
        stopping(name)
        await part.stop()
      })
      return starting
    },
    async stop() {
      for (const each of stops.splice(0).reverse()) await each()
    },
  }
}

async function withPorts({ env, freePorts }: PlatformOptions): Promise<NodeJS.ProcessEnv> {
  if (freePorts) return { ...env, PORT: `${await freePort()}`, BRIDGE_PORT: `${await freePort()}` }
  const { host, port, bridgePort, metricsPort, vcApiTestPort } = readSettings(env)
  await demandPorts(host, { PORT: port, BRIDGE_PORT: bridgePort, METRICS_PORT: metricsPort, VC_API_TEST_PORT: vcApiTestPort })
  return { ...env }
}

type Stack = ReturnType<typeof stack>

async function startParts(settings: Settings, options: PlatformOptions, started: Stack): Promise<Parts> {
  const { dataDir, databaseUrl, redisUrl, rpcUrls } = settings
  const { giveUp, warn, durable = true } = options
  const [postgres, redis, anvil] = await Promise.all([
    started.add('postgres', startPostgres({ url: databaseUrl, dataDir, giveUp, durable })),
    started.add('redis', startRedis({ url: redisUrl, dataDir, giveUp, warn })),
    started.add('anvil', startAnvil({ url: rpcUrls.EthereumAnvil, dataDir, giveUp, warn })),
  ])
  return { postgres, redis, anvil }
}

/** What one child has beside its environment. */
type Special = Partial<Pick<ChildPlan, 'flags' | 'isEssential' | 'needs'>> & { metrics?: number | undefined }

/** All at once, but the bridge, which begins with the API's document. Each stops before those it needs. */
async function startChildren(
  common: NodeJS.ProcessEnv, parts: Parts, options: PlatformOptions, started: Stack,
): Promise<Record<ChildName, KeptChild>> {
  const { metricsPort } = readSettings(common)
  const entries = options.entries ?? productEntries
  const start = async (name: ChildName, own: NodeJS.ProcessEnv, { metrics, ...special }: Special = {}) => {
    const env = await withMetrics(own, metrics)
    const kept = keepChild({ name, entry: entries[name], env, ...special, fault: options.faults?.[name] }, options)
    return started.add(name, Promise.resolve(kept))
  }
  const needs = parts.postgres.ready
  const signer = await start('signer', signerEnvironment(options.env, common, parts), { isEssential: true, needs })
  const server = await start('server', common, { metrics: metricsPort, isEssential: true, needs })
  const worker = await start('worker', workerEnvironment(common), { flags: workerFlags, needs })
  await Promise.all([signer, server, worker].map((each) => each.ready()))
  const bridge = await start('bridge', bridgeEnvironment(common))
  await bridge.ready()
  return { signer, server, worker, bridge }
}
