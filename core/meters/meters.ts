import type { Knex } from 'knex'
import {
  connectDatabase,
  createDirectDatabase,
  isConnectionLost,
  type ConnectionOptions,
  type DirectDatabase,
} from '../database/connection.ts'
import type { Clock } from '../kernel/ports/clock.ts'
import { createProblem, type ProblemError } from '../kernel/problem.ts'
import {
  currentPeriodSql,
  endLeases,
  endOldLeases,
  findJobBlock,
  giveBlockToJob,
  leaseBlock,
  leaseSeconds,
  startPeriod,
  useBlock,
  type BlockRequest,
} from './blocks.ts'
import { findPlan } from './plans.ts'
import { closeEndedBlocks } from './sweep.ts'
import {
  getRule,
  type MeterBlock,
  type Meters,
  type MeterSubject,
  type MeterTaking,
  type MeterTicket,
  type PlanTable,
} from './types.ts'
import { readUsage } from './usage.ts'

/** Seconds before the end of a lease from which a process leases another block. */
const leaseMarginSeconds = 2
/** The most attempts to take units while leases end, plans change or a month begins. */
const maxAttempts = 5

/**
 * Creates the meters of a process. Blocks are leased on connections of their own, because a transaction that waits for
 * a block holds a connection of the pool, and all of them could wait.
 */
export function createMeters(options: ConnectionOptions, services: { clock: Clock; table: PlanTable }): Meters {
  const db = connectDatabase({ ...options, maxConnections: 2 })
  return new ProcessMeters(db, services.clock, services.table)
}

/** A transaction, or a savepoint in one. */
type Nested = Partial<Pick<Knex.Transaction, 'executionPromise' | 'parentTransaction'>>

/** The block from which a process takes single units of a meter. */
interface OwnBlock {
  id: number
  size: number
  left: number
  /** The time of this process at which it is used no more, in milliseconds. */
  until: number
}

class ProcessMeters implements Meters {
  readonly table: PlanTable
  readonly #db: Knex
  readonly #direct: DirectDatabase
  readonly #clock: Clock
  readonly #blocks = new Map<string, OwnBlock>()
  /** Leases on their way, so that requests that come at the same time share a block. */
  readonly #leasing = new Map<string, Promise<OwnBlock | undefined>>()
  /** Blocks of transactions that were rolled back, on their way back. */
  readonly #returns = new Set<Promise<void>>()

  constructor(db: Knex, clock: Clock, table: PlanTable) {
    this.#db = db
    this.#direct = createDirectDatabase(db)
    this.#clock = clock
    this.table = table
  }

  async takeUnit(subject: MeterSubject): Promise<MeterTicket> {
    const key = createKey(subject)
    const block = await this.#takeOwn(key, subject, 1)
    if (!block) throw await this.#createProblem(subject)
    return {
      block: block.id,
      giveBack: () => this.#giveBack(key, block, 1),
      drop: () => this.#drop(key, block),
    }
  }

  async takeShared(trx: Knex, { units, isForced = false, ...subject }: Omit<MeterTaking, 'isPartial'>): Promise<void> {
    const key = createKey(subject)
    // A second block is of no use either where the transaction began in the month before.
    for (let attempt = 0; attempt < 2; attempt++) {
      const block = await this.#takeOwn(key, subject, units)
      if (!block && units === 1 && !isForced) throw await this.#createProblem(subject)
      if (!block) break
      runAfterRollback(trx, (cause) => {
        // Where nobody knows whether the transaction was committed, the units may be used: the end of the lease tells.
        if (mayBeCommitted(cause)) this.#drop(key, block)
        else this.#giveBack(key, block, units)
      })
      if (await useBlock(trx, block.id, units)) return
      this.#drop(key, block)
    }
    await this.take(trx, { ...subject, units, isForced })
  }

  /**
   * Takes units of the block that this process holds, and leases one if there is none.
   * @returns undefined if no block can be leased, or if it has too few units
   */
  async #takeOwn(key: string, subject: MeterSubject, units: number): Promise<OwnBlock | undefined> {
    for (;;) {
      const block = this.#blocks.get(key)
      if (block && block.left > 0 && performance.now() < block.until) {
        if (block.left < units) return undefined
        // At once, because others look at the block as soon as this one waits.
        block.left -= units
        return block
      }
      if (!(await (this.#leasing.get(key) ?? this.#leaseOwn(key, subject)))) return undefined
    }
  }

  #giveBack(key: string, block: OwnBlock, units: number): void {
    block.left += units
    const isCurrent = this.#blocks.get(key) === block
    // Other processes may need the last units.
    if (isCurrent && block.size > 1) return
    if (isCurrent) this.#blocks.delete(key)
    void this.#return(block.id)
  }

  #drop(key: string, block: OwnBlock): void {
    if (this.#blocks.get(key) === block) this.#blocks.delete(key)
  }

  #leaseOwn(key: string, subject: MeterSubject): Promise<OwnBlock | undefined> {
    const until = performance.now() + (leaseSeconds - leaseMarginSeconds) * 1_000
    const leasing = this.#lease({ ...subject, units: 1 })
      .then((block) => {
        if (!block) return undefined
        const own = { id: block.id, size: block.size, left: block.size, until }
        this.#blocks.set(key, own)
        return own
      })
      .finally(() => this.#leasing.delete(key))
    this.#leasing.set(key, leasing)
    return leasing
  }

  /** Leases a block. If too few units are there, blocks whose lease is over are closed first. */
  async #lease(request: BlockRequest): Promise<MeterBlock | undefined> {
    const queryRows: DirectDatabase['queryRows'] = (...args) => this.#direct.queryRows(...args)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const block = await leaseBlock(queryRows, this.table, request)
      if (block) return block
      // Another request may have made the row of the month since this one looked.
      if ((await startPeriod(queryRows, request)) || attempt === 0) continue
      await Promise.all(this.#returns)
      await endOldLeases(queryRows, request)
      if ((await closeEndedBlocks(this.#db, request.organization)) === 0) return undefined
    }
    return undefined
  }

  async take(trx: Knex, taking: MeterTaking): Promise<number> {
    const reserved = await this.reserve(taking)
    await reserved.use(trx)
    return reserved.units
  }

  async reserve({ organization, meter, units, isPartial = false, isForced = false }: MeterTaking) {
    const subject = { organization, meter }
    const request = { ...subject, units, isPartial, isForced, isExact: true }
    const block = units === 0 ? undefined : ((await this.#lease(request)) ?? (await this.#leaseWithOwn(request)))
    if (!block && units > 0 && !isPartial) throw await this.#createProblem(subject)
    if (!block) return { units: 0, use: async () => undefined }
    return { units: block.size, use: (trx: Knex) => this.#use(trx, { ...request, units: block.size }, block) }
  }

  /** Records a use of a block, or of another one if it cannot be used any more. */
  async #use(trx: Knex, request: BlockRequest, first: MeterBlock): Promise<void> {
    let block: MeterBlock | undefined = first
    for (let attempt = 0; block && attempt < maxAttempts; attempt++) {
      const { id } = block
      runAfterRollback(trx, () => void this.#return(id))
      if (await useBlock(trx, block.id, request.units)) return
      // The transaction began in another month, or the plan changed meanwhile.
      await this.#return(block.id)
      block = await this.#lease({ ...request, isPartial: false, period: await readPeriod(trx) })
    }
    throw await this.#createProblem(request)
  }

  /** Gives back what this process holds for single units, and leases a block. */
  async #leaseWithOwn(request: BlockRequest): Promise<MeterBlock | undefined> {
    const key = createKey(request)
    const own = this.#blocks.get(key)
    if (!own || own.left === 0) return undefined
    this.#blocks.delete(key)
    await this.#return(own.id)
    return this.#lease(request)
  }

  async hold(trx: Knex, job: string, { units, ...subject }: MeterSubject & { units: number }): Promise<void> {
    if (units === 0) return
    const request = { ...subject, units, isExact: true }
    const block = (await this.#lease(request)) ?? (await this.#leaseWithOwn(request))
    if (!block) throw await this.#createProblem(subject)
    if (!(await giveBlockToJob(trx, block.id, job))) throw new Error(`The block of job ${job} came too late`)
    runAfterRollback(trx, () => void this.#return(block.id))
  }

  async takeHeld(trx: Knex, job: string, taking: MeterTaking): Promise<number> {
    if (taking.units === 0) return 0
    const held = await findJobBlock(trx, job)
    if (!held) return this.take(trx, { ...taking, isPartial: true })
    // A month has begun since the job was accepted: what it was promised is not refused.
    if (held.period !== (await readPeriod(trx))) return this.take(trx, { ...taking, isForced: true })
    const units = Math.min(held.left, taking.units)
    if (units > 0 && !(await useBlock(trx, held.id, units))) throw new Error(`The block of job ${job} is gone`)
    return units + (await this.take(trx, { ...taking, units: taking.units - units, isPartial: true }))
  }

  async assertLeft(db: Knex, subject: MeterSubject, units: number): Promise<void> {
    const { plan, meters } = await readUsage(db, subject.organization)
    const { limit, isHard } = getRule(this.table, plan, subject.meter)
    const { used, reserved } = meters.find(({ meter }) => meter === subject.meter) ?? { used: 0, reserved: 0 }
    if (limit !== null && isHard && used + reserved + units > limit) throw await this.#createProblem(subject)
  }

  /** Ends the lease of a block at once. */
  #return(block: number): Promise<void> {
    const returning = endLeases((...args) => this.#direct.queryRows(...args), [block])
      // Its lease ends by itself.
      .catch(() => undefined)
      .finally(() => this.#returns.delete(returning))
    this.#returns.add(returning)
    return returning
  }

  async #createProblem({ organization, meter }: MeterSubject): Promise<ProblemError> {
    const { limit } = getRule(this.table, await findPlan(this.#db, organization), meter)
    const now = this.#clock.now()
    const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
    const seconds = Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1_000))
    return createProblem(
      'QUOTA_EXCEEDED',
      `The plan of the organization allows ${limit ?? 0} ${meter} a month, and too few are left.`,
      { extra: { meter, limit, resetsAt: resetsAt.toISOString() }, headers: { 'Retry-After': String(seconds) } },
    )
  }

  close(): Promise<void> {
    return this.#db.destroy()
  }
}

/** Runs something once if a transaction, or one around it, is rolled back. */
function runAfterRollback(trx: Knex, action: (cause: unknown) => void): void {
  let hasRun = false
  const runOnce = (cause: unknown) => {
    if (!hasRun) action(cause)
    hasRun = true
  }
  for (let each = trx as Nested | undefined; each; each = each.parentTransaction) each.executionPromise?.catch(runOnce)
}

/**
 * Checks whether a transaction that failed may have been committed. Any error of the system counts, because a block that
 * is dropped comes back with its lease, while units that are given back wrongly are used twice.
 */
const mayBeCommitted = (cause: unknown): boolean =>
  isConnectionLost(cause) || /^E[A-Z]+$/.test(String((cause as { code?: unknown } | null)?.code))

const createKey = ({ organization, meter }: MeterSubject) => `${organization} ${meter}`

/** Reads the first day of the month in which a transaction began. */
async function readPeriod(trx: Knex): Promise<string> {
  const {
    rows: [row],
  } = await trx.raw<{ rows: { period: string }[] }>(`select ${currentPeriodSql}::text as period`)
  return row?.period ?? ''
}
