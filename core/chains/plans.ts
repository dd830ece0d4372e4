import {
  passportsContractOf, sharedContractOf, wantFurtherContract, type ContractKey, type PassportsContract,
} from './contracts.ts'
import type { Unit } from './family.ts'
import { held } from './holding.ts'
import {
  applicationsWithMints, queuedMints, queuedSingles, tokenIdOf, type MintingApplication, type Operation, type QueuedSingle,
} from './operations.ts'
import { queuedRecords, recordUnit, type QueuedRecord } from './records.ts'
import { roomFor, type Session } from './session.ts'
import { refuse } from './settling.ts'
import { countBatches } from './transactions.ts'

/** A transaction to be: what it does and whose operations it does. */
export interface Plan {
  unit: Unit
  key: ContractKey
  application: string | null
  /** Address of the contract. */
  contract: string
  operations: readonly Operation[]
}

/** `wait`: milliseconds until an incomplete batch leaves anyway; null: none waits. */
export interface Planned { plans: Plan[]; wait: number | null }

/** Keys one by one; roots, of whatever organization, together. */
export async function planRecords(session: Session, room: number): Promise<Planned> {
  const { db, family: { rootLimit }, recorder } = session
  if (!recorder) return { plans: [], wait: null }
  const queued = await queuedRecords(db, session, room * rootLimit, held(session))
  const plans: Plan[] = []
  for (const record of queued) {
    if (record.kind === 'anchor' || plans.length >= room) continue
    plans.push(recordPlan(recordUnit(record), [record]))
  }
  const roots = queued.filter((record) => record.kind === 'anchor')
  const { ready, wait } = inBatches(session, roots, rootLimit)
  for (const batch of ready) {
    const contract = batch[0]?.contract ?? ''
    const unit = { kind: 'anchor', contract, roots: batch.map(({ content }) => content.root) } as const
    if (plans.length < room) plans.push(recordPlan(unit, batch))
  }
  return { plans, wait }
}

function recordPlan(unit: Unit & { contract: string }, operations: readonly QueuedRecord[]): Plan {
  const key = sharedContractOf(operations[0]?.kind ?? 'anchor')
  return { unit, key, application: null, contract: unit.contract, operations }
}

export async function planSingles(session: Session, room: number): Promise<Plan[]> {
  const plans: Plan[] = []
  const { served } = session
  const taken = new Map<string, number>()
  const queued = await queuedSingles(session.db, session, { limit: room, without: held(session), served: served.singles })
  for (const operation of queued) {
    const { organization } = operation
    const before = taken.get(organization) ?? 0
    if (before >= roomFor(session, organization)) continue
    taken.set(organization, before + 1)
    served.singles = organization
    const unit = singleUnit(operation)
    const { application, key, contract } = operation
    if (typeof unit === 'string') await refuse(session, [operation], unit)
    else plans.push({ unit, key, application, contract, operations: [operation] })
  }
  return plans
}

/** What an operation does by itself, or why it cannot. */
function singleUnit(operation: QueuedSingle): Unit | string {
  const { contract } = operation
  const tokenId = tokenIdOf(operation)
  const to = operation.recipient ?? ''
  if (operation.kind === 'mintTo') {
    return operation.minted ? 'The token was minted before.' : { kind: 'mint', contract, to, tokenId }
  }
  const { batch, position } = operation
  return batch === null || position === null
    ? 'The token is not held by its issuer.'
    : { kind: 'transfer', contract, to, tokenId, batch, index: position }
}

/**
 * Batches of an organization, and of all, that are planned at once: short rounds let others in between. More of one would
 * hardly be quicker, as handing over what a batch came to takes longer than sending it.
 */
const batchesInRound = { ofOne: 1, ofAll: 4 }

/**
 * A few batches of each organization in turn, beginning behind the one that was served last. Whose batches are being
 * settled sends no others in the same round: a round that is short lets others in sooner, and each look at the chain
 * reads again what is not settled.
 */
export async function planBatches(session: Session, room: number): Promise<Planned> {
  const all = await applicationsWithMints(session.db, session)
  const waiting = all.filter(({ organization }) => !session.busy.has(organization))
  const most = Math.min(room, batchesInRound.ofAll)
  const plans: Plan[] = []
  // Who was left out has the next round, which comes at once: nothing else may be under way that would bring one.
  let wait: number | null = waiting.length < all.length ? 0 : null
  for (const [organization, applications] of inTurnAfter(waiting, session.served.batches)) {
    const left = Math.min(most - plans.length, batchesInRound.ofOne, roomFor(session, organization))
    const batches = await batchesOfAll(session, applications, left)
    if (batches.plans.length > 0) session.served.batches = organization
    plans.push(...batches.plans)
    wait = sooner(wait, batches.wait)
    if (plans.length >= most) break
  }
  return { plans, wait }
}

/** Of the applications of one organization, each in turn. */
async function batchesOfAll(session: Session, applications: readonly string[], room: number): Promise<Planned> {
  const without = new Set(held(session))
  const plans: Plan[] = []
  let wait: number | null = null
  for (const application of applications) {
    if (plans.length >= room) break
    const contract = await contractForBatches(session, application)
    if (!contract || without.has(contract.key)) continue
    const batches = await batchesOf(session, contract, room - plans.length)
    plans.push(...batches.plans)
    wait = sooner(wait, batches.wait)
  }
  return { plans, wait }
}

/** The shorter of two waits; null: none. */
export const sooner = (a: number | null, b: number | null) => (a === null || b === null ? a ?? b : Math.min(a, b))

/** Applications by organization, which come in their order, but behind the one that was served last. */
function inTurnAfter(waiting: readonly MintingApplication[], served: string): [string, string[]][] {
  const byOrganization = Map.groupBy(waiting, ({ organization }) => organization)
  const names = [...byOrganization.keys()].sort()
  return [...names.filter((name) => name > served), ...names.filter((name) => name <= served)]
    .map((name) => [name, (byOrganization.get(name) ?? []).map(({ application }) => application)])
}

/** As many as the contract still takes. When it takes none, a further one is wanted, and they wait until it is there. */
async function batchesOf(session: Session, contract: PassportsContract, room: number): Promise<Planned> {
  const { db, family: { batchLimit } } = session
  const { key, address, issuer, application } = contract
  const queued = await queuedMints(db, session, application, room * batchLimit)
  const minted = queued.filter((operation) => operation.minted)
  if (minted.length > 0) await refuse(session, minted, 'The token was minted before.')
  const { ready, wait } = inBatches(session, queued.filter((operation) => !operation.minted), batchLimit)
  if (ready.length === 0) return { plans: [], wait }
  const left = session.maxBatches - await countBatches(db, session, address)
  if (left <= 0) {
    await replaceFullContract(session, { application, contract: address })
    return { plans: [], wait: 0 }
  }
  const plans = ready.slice(0, Math.min(room, left)).map((batch): Plan => {
    const operations = batch.sort((a, b) => a.token_id.compare(b.token_id))
    const unit = { kind: 'mintBatch', contract: address, issuer, tokenIds: operations.map(tokenIdOf) } as const
    return { unit, key, application, contract: address, operations }
  })
  return { plans, wait }
}

/** Has a further contract deployed, which takes the application's batches from now on. */
export async function replaceFullContract(
  session: Session, { application, contract }: Pick<Plan, 'application' | 'contract'>,
): Promise<void> {
  const { db, network, contracts, log } = session
  await wantFurtherContract(db, session, contract)
  if (application !== null) contracts.delete(application)
  log.info({ network, application, contract }, 'a contract has all its batches: a further one is deployed')
}

interface Batchable { share: number | null; age: number }

/** Batches that may leave, and how long the others wait for more. */
function inBatches<T extends Batchable>(
  { pace }: Session, queued: readonly T[], limit: number,
): { ready: T[][]; wait: number | null } {
  const ready: T[][] = []
  let wait: number | null = null
  for (const batch of batched(queued, limit)) {
    const age = Math.max(...batch.map((operation) => operation.age)) * 1_000
    // What seems to be queued later than now was queued before the clock was put back.
    const isYoung = age >= 0 && age < pace.gather
    if (batch.length < limit && batch[0]?.share === null && isYoung) wait = Math.ceil(pace.gather - age)
    else ready.push(batch)
  }
  return { ready, wait }
}

/** Batches in the order of the queue, each no larger than its smallest share. */
function batched<T extends Batchable>(operations: readonly T[], limit: number): T[][] {
  const byShare = Map.groupBy(operations, ({ share }) => share)
  return [...byShare].flatMap(([share, group]) => {
    const size = Math.min(limit, share ?? limit)
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size))
  })
}

/** The newest contract of an application; undefined while it is not in the chain. */
async function contractForBatches(session: Session, application: string): Promise<PassportsContract | undefined> {
  const { contracts, db } = session
  const known = contracts.get(application)
  if (known?.newest) return known
  const found = await passportsContractOf(db, session, application)
  if (found) contracts.set(application, found)
  return found?.newest ? found : undefined
}
