import type { Knex } from 'knex'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import type { Context } from '../../../kernel/work.ts'
import { activateDueLots, listDueOwners, releaseExpiredHolds, type BookOwner } from '../../../ledger/index.ts'
import { startRepetition } from '../../../queue/upkeep/repeat.ts'
import { listFigures } from '../../accounts/index.ts'
import { pointsBookName } from './books.ts'
import type { PointsTarget } from './chain.ts'
import { expirePoints } from './due.ts'
import { findPlaces, recordBalances, recordPoints } from './recording.ts'

/** Interval between two looks for points that are due, in milliseconds. */
const sweepIntervalMs = 5_000
/** The most lots, and holds, of one transaction. */
const chunkSize = 500

/** Does what is due of some accounts in a transaction. @returns whether there was anything to do */
type Sweep = (trx: Knex, owners: readonly BookOwner[], targets: readonly PointsTarget[]) => Promise<boolean>

/**
 * Starts what makes points active and lets points expire when it is time, and releases holds that are over. Any number
 * of workers can do it.
 */
export function startPointSweeps(context: Context): { stop(): Promise<void> } {
  let isStopped = false
  const repetition = startRepetition(
    sweepIntervalMs,
    () => sweepPoints(context, () => isStopped),
    (cause) => context.log.error({ err: cause }, 'the look for due points failed'),
  )
  return {
    stop: () => {
      isStopped = true
      return repetition.stop()
    },
  }
}

/** Works off what is due now, in chunks. @param isOver checked before each chunk */
async function sweepPoints(context: Context, isOver: () => boolean): Promise<void> {
  await sweepDue(context, 'activation', activatePoints, isOver)
  await sweepDue(context, 'expiry', createExpirySweep(context), isOver)
  while (!isOver()) {
    const released = await context.db.transaction((trx) => releaseExpiredHolds(trx, { maxHolds: chunkSize }))
    if (released < chunkSize) break
  }
}

async function sweepDue(
  context: Context,
  due: 'activation' | 'expiry',
  sweep: Sweep,
  isOver: () => boolean,
): Promise<void> {
  /** Accounts that are left to the next look, so that they do not keep the others waiting. */
  const except = new Set<string>()
  while (!isOver()) {
    const owners = await listDueOwners(context.db, pointsBookName, { due, except: [...except], maxLots: chunkSize })
    if (owners.length === 0) return
    for (const owner of await listUnfinished(context, owners, sweep)) except.add(owner)
  }
}

/** Sweeps a chunk, and if that fails, each account alone. @returns the accounts with whom nothing could be done */
async function listUnfinished(context: Context, owners: readonly BookOwner[], sweep: Sweep): Promise<string[]> {
  const ids = owners.map(({ owner }) => owner)
  try {
    const hasWorked = await context.db.transaction(async (trx) => sweep(trx, owners, await readTargets(trx, ids)))
    return hasWorked ? [] : ids
  } catch (cause) {
    if (owners.length === 1) {
      context.log.error({ err: cause, account: ids[0] }, 'the due points of an account could not be worked off')
      return ids
    }
    const unfinished: string[] = []
    for (const owner of owners) unfinished.push(...(await listUnfinished(context, [owner], sweep)))
    return unfinished
  }
}

const activatePoints: Sweep = async (trx, owners, targets) => {
  const changed = await activateDueLots(trx, owners)
  const balances = new Map(changed.map(({ owner, balance }) => [owner, balance]))
  await recordBalances(
    trx,
    balances,
    targets.filter(({ account }) => balances.has(account)),
  )
  return changed.length > 0
}

const createExpirySweep =
  (context: Context): Sweep =>
  async (trx, _owners, targets) => {
    const { balances, records } = await expirePoints(
      trx,
      await findPlaces(
        trx,
        context,
        targets.map((target) => ({ target })),
      ),
      chunkSize,
    )
    await recordPoints(trx, context, { records, balances }, { isForced: true })
    if (records.length > 0) hitFaultPoint('points.expired', { step: 'expire' })
    return records.length > 0
  }

/** Reads where the points of accounts are posted. @throws Error if an account does not exist */
async function readTargets(trx: Knex, accounts: readonly string[]): Promise<PointsTarget[]> {
  const figures = await listFigures(trx, { organization: null, accounts, limit: accounts.length })
  const known = new Set(figures.map(({ account }) => account))
  const missing = accounts.filter((account) => !known.has(account))
  if (missing.length > 0) throw new Error(`Points are due of accounts that do not exist: ${missing.join(', ')}`)
  return figures.map(({ organization, application, network, account, address }) => ({
    organization,
    application,
    network,
    account,
    address,
  }))
}
