import type { Knex } from 'knex'
import type { Logger } from 'pino'
import type { Chains } from '../chains/port.ts'
import { createChains } from '../chains/chains.ts'
import { connectDatabase, createDirectDatabase, type DirectDatabase } from '../database/connection.ts'
import { createNotices } from '../database/notices.ts'
import type { AccountLife } from '../features/area.ts'
import { createIdentity } from '../features/identity/index.ts'
import { createPlanTable, readPlans, type PlanEntry } from '../features/organization/index.ts'
import { assertWritableFolder } from '../kernel/process/data-folder.ts'
import { armFaultPoint } from '../kernel/process/fault-points.ts'
import type { WorkerThreads } from '../kernel/ports/worker-threads.ts'
import type { Clock } from '../kernel/ports/clock.ts'
import type { Identity } from '../kernel/ports/identity.ts'
import type { Notices } from '../kernel/ports/notices.ts'
import type { Outbound } from '../kernel/ports/outbound.ts'
import type { Mail, Messenger } from '../kernel/ports/messenger.ts'
import type { OperationCalls } from '../kernel/ports/operation-calls.ts'
import type { JobQueue } from '../kernel/ports/job-queue.ts'
import type { Context } from '../kernel/work.ts'
import { createMeters, type Meters } from '../meters/index.ts'
import { createLog } from './log.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { createPost } from '../queue/messages/outbox.ts'
import { createQueue } from '../queue/queue.ts'
import { assertSettings, type Settings } from './settings.ts'

/** The parts of a process. `createContext` builds them once and passes them on. */
export interface ContextServices {
  settings: Settings
  log: Logger
  clock: Clock
  db: Knex
  /** Runs single statements that are executed often. */
  directDatabase: DirectDatabase
  notices: Notices
  queue: JobQueue
  messenger: Messenger
  chains: Chains
  identity: Identity
  /** Fetches addresses that users gave. */
  outbound: Outbound
  /** What the areas do when an account is created or deleted. */
  accountLife: AccountLife
  /** The plans of the platform. */
  plans: readonly PlanEntry[]
  /** Takes units of what plans limit. */
  meters: Meters
  /** Calls operations from within, as their callers do. Loaded with the first call, because most processes make none. */
  loadOperationCalls(): Promise<OperationCalls>
  /** Set only in the API process; other processes do the work themselves. */
  workerThreads?: WorkerThreads
}

declare module '../kernel/work.ts' {
  interface Context extends ContextServices {}
}

async function createCalls(context: Context): Promise<OperationCalls> {
  const [{ createOperationCalls }, { registry }] = await Promise.all([
    import('../http/pipeline/call-operation.ts'),
    import('./registry.ts'),
  ])
  return createOperationCalls(context, registry.operations)
}

export interface ContextHandle {
  context: Context
  close(): Promise<void>
}

/** Loads the areas when an account is created or deleted, because commands that need neither start without them. */
const accountLife: AccountLife = {
  begin: async (...args) => (await import('./registry.ts')).registry.accountLife.begin(...args),
  end: async (...args) => (await import('./registry.ts')).registry.accountLife.end(...args),
}

/**
 * Creates the parts of one process. @param name name of the process, for logs and for the database's list of
 * connections
 */
export async function createContext(settings: Settings, name: string): Promise<ContextHandle> {
  const { databaseUrl, databaseDirectUrl, redisUrl } = assertSettings(settings, 'databaseUrl')
  armFaultPoint(settings.faultPoint)
  // Without an IPFS node, content that is addressed by its identifier is stored in this folder.
  if (settings.ipfsApiUrl === undefined) assertWritableFolder(settings.dataDir)
  const plans = readPlans(settings.plansFile)
  const log = createLog(name, settings)
  const clock = { now: () => new Date() }
  const connection = { url: databaseUrl, name: `tessera-${name}`, hasShortTimeouts: name === 'server' }
  const db = connectDatabase(connection)
  const meters = createMeters(connection, { clock, table: createPlanTable(plans) })
  const directDatabase = createDirectDatabase(db)
  const notices = createNotices({ url: databaseDirectUrl ?? databaseUrl, log })
  const queue = createQueue({ db, redisUrl, log, notices })
  const baseServices = { settings, log, clock, db, directDatabase, notices, queue }
  // Loaded with the first mail, because most processes and commands send none.
  const renderMail = async (trx: Knex, mail: Mail) =>
    (await import('../pages/mails/mails.ts')).renderMail(trx, { ...baseServices, meters }, mail)
  const services = { ...baseServices, messenger: createPost({ ...baseServices, renderMail }) }
  const chains = createChains(services)
  let operationCalls: Promise<OperationCalls> | undefined
  const context: Context = {
    ...services,
    chains,
    identity: createIdentity(services),
    outbound: createOutbound(services),
    accountLife,
    plans,
    meters,
    loadOperationCalls: () => (operationCalls ??= createCalls(context)),
  }
  return {
    context,
    close: async () => {
      await queue.close()
      await notices.close()
      await meters.close()
      await db.destroy()
    },
  }
}
