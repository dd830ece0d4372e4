import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pino } from 'pino'
import type { NewChainRecord, NewPointsOperation, NewTokenOperation } from '../../../core/chains/port.ts'
import { createChains } from '../../../core/chains/chains.ts'
import { startSenders } from '../../../core/chains/engine/senders.ts'
import type { Families } from '../../../core/chains/families.ts'
import type { SenderPacing } from '../../../core/chains/pacing.ts'
import type { Signer } from '../../../core/chains/signer/client.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import { up as chainTables } from '../../../core/database/migrations/005_chains.ts'
import { up as chainRefusals } from '../../../core/database/migrations/011_chain_refusals.ts'
import { up as chainRecords } from '../../../core/database/migrations/015_chain_records.ts'
import { up as signerView } from '../../../core/database/migrations/033_signer_view.ts'
import { up as contractParts } from '../../../core/database/migrations/035_contract_parts.ts'
import { up as chainPoints } from '../../../core/database/migrations/058_chain_points.ts'
import { allowPassingOn } from '../../../core/database/migrations/097_passing_on.ts'
import { createNotices } from '../../../core/database/notices.ts'
import { readSettings } from '../../../core/app/settings.ts'
import { waitUntil } from '../processes.ts'
import {
  createSettlementTables,
  outcomeTakers,
  type PointsSettlement,
  type RecordSettlement,
  type Settlement,
} from './settlements.ts'

const root = join(import.meta.dirname, '../../..')

/** A child process, with the promise of its end. */
interface Child {
  process: ChildProcess
  exited: Promise<unknown>
}

export interface SenderRigOptions {
  /** Address of an empty database. */
  url: string
  env: NodeJS.ProcessEnv
  log?: Writable | undefined
  /** The families that the rig serves, instead of the product's own. */
  served?: { families: Families; signer: Signer }
  /** The file that serves the families in a process of its own. */
  senderFile?: string
}

/** Creates what queueing, sending and settling need, whatever the family of the network. */
export async function createSenderRig(options: SenderRigOptions) {
  const { url, env, served = {}, senderFile = 'test/support/children/sender.ts' } = options
  const settings = readSettings(env)
  const log = pino({ level: settings.logLevel }, options.log ?? pino.destination({ fd: 2, sync: true }))
  const db = connectDatabase({ url, name: 'test', maxConnections: 5 })
  for (const up of [chainTables, chainRefusals, chainRecords, signerView, contractParts, chainPoints, allowPassingOn])
    await up(db)
  await createSettlementTables(db)
  const notices = createNotices({ url, log })
  const chains = createChains({ settings, notices, ...served })
  const children = new Set<ChildProcess>()
  let stopped = false
  const startChild = async (file: string, own: NodeJS.ProcessEnv): Promise<Child> => {
    if (stopped) throw new Error('the test is over')
    const stdio = ['ignore' as const, 'ignore' as const, 'inherit' as const, 'ipc' as const]
    const started = spawn(process.execPath, [join(root, file)], { env: own, stdio })
    children.add(started)
    const exited = once(started, 'exit')
    const [message] = (await Promise.race([once(started, 'message'), exited])) as [{ ready?: boolean } | number]
    if (typeof message !== 'object') throw new Error(`${file} ended before it was ready`)
    return { process: started, exited }
  }
  const killChild = async (one: Child) => {
    one.process.kill('SIGKILL')
    await one.exited
    children.delete(one.process)
  }
  const senderStops: (() => Promise<void>)[] = []

  const rig = {
    db,
    chains,
    settings,
    env,
    organization: randomUUID(),
    startChild,
    killChild,
    /** Starts senders in this process. */
    startSenders(pace: Partial<SenderPacing> = {}) {
      if (stopped) throw new Error('the test is over')
      const senders = startSenders({ settings, notices, log, ...served }, outcomeTakers, pace)
      senderStops.push(() => senders.stop())
      return senders
    },
    /** Starts senders in a process of their own, which ends itself at the fault point. */
    async startSenderProcess(fault?: string) {
      const armed = fault === undefined ? {} : { TESSERA_FAULT: fault }
      const started = await startChild(senderFile, { ...env, ...armed })
      return { ...started, kill: () => killChild(started) }
    },
    async queueOperations(operations: readonly NewTokenOperation[]) {
      await db.transaction((trx) => chains.queueOperations(trx, 'Demo collection', operations))
      for (const { network } of operations.slice(0, 1)) chains.wakeSender(network)
    },
    insertRecords: (records: readonly NewChainRecord[]) => db.transaction((trx) => chains.queueRecords(trx, records)),
    queuePoints: (operations: readonly NewPointsOperation[]) =>
      db.transaction((trx) => chains.queuePoints(trx, 'Bags', operations)),
    /** Whether an operation is queued, or was. */
    hasOperation: async (id: string) => (await db('chain_operations').where({ id })).length > 0,
    listSettlements: (): Promise<Settlement[]> => db('settlements').select('*'),
    listRecordSettlements: (): Promise<RecordSettlement[]> => db('record_settlements').select('*'),
    /** Waits until each operation has at least `minTimes` outcomes, and returns them. */
    async waitForOutcomes(ids: readonly string[], timeoutMs = 45_000, minTimes = 1): Promise<Settlement[]> {
      const read = () => db<Settlement>('settlements').whereIn('operation', ids).where('times', '>=', minTimes)
      await waitUntil(
        `${ids.length} operations have an outcome`,
        async () => (await read().select('operation')).length === ids.length,
        timeoutMs,
      )
      const found = new Map((await read().select('*')).map((one) => [one.operation, one as Settlement]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    /** Waits until each record has at least `times` outcomes, and returns them. */
    async waitForRecords(records: readonly { id: string }[], times = 1): Promise<RecordSettlement[]> {
      const ids = records.map(({ id }) => id)
      const read = () =>
        db<RecordSettlement>('record_settlements').whereIn('operation', ids).where('times', '>=', times)
      await waitUntil(
        `${ids.length} records have an outcome`,
        async () => (await read().select('operation')).length === ids.length,
        45_000,
      )
      const found = new Map((await read().select('*')).map((one) => [one.operation, one as RecordSettlement]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    /** Waits until each entry of points has at least `times` outcomes, and returns them. */
    async waitForPoints(entries: readonly { id: string }[], times = 1): Promise<PointsSettlement[]> {
      const ids = entries.map(({ id }) => id)
      const read = () =>
        db<PointsSettlement>('points_settlements')
          .whereIn('operation', ids)
          .whereRaw('cardinality(statuses) >= ?', [times])
      await waitUntil(
        `${ids.length} entries of points have an outcome`,
        async () => (await read().select('operation')).length === ids.length,
        45_000,
      )
      const found = new Map((await read().select('*')).map((one) => [one.operation, one as PointsSettlement]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    async waitForOutcome(id: string): Promise<Settlement> {
      const [found] = await rig.waitForOutcomes([id])
      if (!found) throw new Error(`${id} has no outcome`)
      return found
    },
    /** Stops the senders and the child processes, and closes the database. */
    async close() {
      stopped = true
      for (const stop of senderStops) await stop()
      await notices.close()
      for (const one of children) one.kill('SIGKILL')
      await db.destroy()
    },
  }
  return rig
}
export type SenderRig = Awaited<ReturnType<typeof createSenderRig>>
