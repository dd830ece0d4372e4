import {
  findNewestPassportsContract,
  insertFurtherContract,
  type ContractKey,
  type PassportsContract,
} from './rows/contracts.ts'
import { getRecordAct, getTokenAct } from '../acts/acts.ts'
import type { ChainOperation } from '../acts/operation.ts'
import type { ChainAct } from '../family.ts'
import { getHeldContracts } from './contract-holds.ts'
import {
  listMintingApplications,
  listQueuedMints,
  listQueuedSingles,
  type MintingApplication,
} from './rows/operations.ts'
import { listQueuedRecords, type QueuedRecord } from './rows/records.ts'
import { getOrganizationCapacity, type SenderSession } from './session.ts'
import { settleRefusedOperations } from './settle.ts'
import { countBatches } from './rows/transactions.ts'

/** A planned transaction: its act, and the operations that the act performs. */
export interface TransactionPlan {
  act: ChainAct
  key: ContractKey
  application: string | null
  /** Address of the contract. */
  contract: string
  operations: readonly ChainOperation[]
}

/** The result of planning. `waitMs`: milliseconds until an incomplete batch is sent anyway; null if no batch waits. */
export interface PlanResult {
  plans: TransactionPlan[]
  waitMs: number | null
}

/** Plans records: those of batched acts of all organizations together, each other one in its own transaction. */
export async function planRecords(session: SenderSession, capacity: number): Promise<PlanResult> {
  const {
    db,
    capabilities: { maxRootsPerTransaction: maxRoots },
    hasSharedContracts,
  } = session
  if (!hasSharedContracts) return { plans: [], waitMs: null }
  const queued = await listQueuedRecords(db, session, capacity * maxRoots, getHeldContracts(session))
  const plans: TransactionPlan[] = []
  for (const record of queued) {
    if (plans.length >= capacity) break
    if (!getRecordAct(record.kind).isBatched) plans.push(createRecordPlan([record]))
  }
  const batched = queued.filter(({ kind }) => getRecordAct(kind).isBatched)
  const { ready, waitMs } = collectReadyBatches(session, batched, maxRoots)
  for (const batch of ready) if (plans.length < capacity) plans.push(createRecordPlan(batch))
  return { plans, waitMs }
}

function createRecordPlan(operations: readonly QueuedRecord[]): TransactionPlan {
  const [first] = operations
  if (!first) throw new Error('a plan has no record')
  const recordAct = getRecordAct(first.kind)
  const act = recordAct.createChainAct(operations, first.contract)
  return { act, key: recordAct.contract, application: null, contract: act.contract, operations }
}

export async function planSingleOperations(session: SenderSession, capacity: number): Promise<TransactionPlan[]> {
  const plans: TransactionPlan[] = []
  const { lastServed } = session
  const takenByOrganization = new Map<string, number>()
  const queued = await listQueuedSingles(session.db, session, {
    limit: capacity,
    excludedContracts: getHeldContracts(session),
    lastServed: lastServed.singles,
  })
  for (const operation of queued) {
    const { organization } = operation
    const before = takenByOrganization.get(organization) ?? 0
    if (before >= getOrganizationCapacity(session, organization)) continue
    takenByOrganization.set(organization, before + 1)
    lastServed.singles = organization
    const { application, key, contract } = operation
    const act = getTokenAct(operation.kind).createChainAct([operation], { ...operation, issuer: null })
    if (typeof act === 'string') await settleRefusedOperations(session, [operation], act)
    else plans.push({ act, key, application, contract, operations: [operation] })
  }
  return plans
}

/**
 * Limits on the batches that are planned in one round. Short rounds let other work in between. More batches of one
 * organization would hardly be faster, because handing over the outcomes of a batch takes longer than sending it.
 */
const maxBatchesPerRound = { perOrganization: 1, total: 4 }

/**
 * Plans a few batches of each organization in turn, starting after the organization that was served last. An
 * organization whose outcomes are being settled sends no batches in the same round: a short round lets others in
 * sooner, and each poll of the chain reads all unsettled transactions again.
 */
export async function planBatches(session: SenderSession, capacity: number): Promise<PlanResult> {
  const mintingApplications = await listMintingApplications(session.db, session)
  const waiting = mintingApplications.filter(({ organization }) => !session.busyHolders.has(organization))
  const maxPlans = Math.min(capacity, maxBatchesPerRound.total)
  const plans: TransactionPlan[] = []
  // Organizations that were left out get the next round, which starts at once, because no other work may start one.
  let waitMs: number | null = waiting.length < mintingApplications.length ? 0 : null
  for (const [organization, applications] of groupByTurn(waiting, session.lastServed.batches)) {
    const left = Math.min(
      maxPlans - plans.length,
      maxBatchesPerRound.perOrganization,
      getOrganizationCapacity(session, organization),
    )
    const batches = await planOrganizationBatches(session, applications, left)
    if (batches.plans.length > 0) session.lastServed.batches = organization
    plans.push(...batches.plans)
    waitMs = getShorterWait(waitMs, batches.waitMs)
    if (plans.length >= maxPlans) break
  }
  return { plans, waitMs }
}

/** Plans batches of the applications of one organization, each in turn. */
async function planOrganizationBatches(
  session: SenderSession,
  applications: readonly string[],
  capacity: number,
): Promise<PlanResult> {
  const excludedContracts = new Set(getHeldContracts(session))
  const plans: TransactionPlan[] = []
  let waitMs: number | null = null
  for (const application of applications) {
    if (plans.length >= capacity) break
    const contract = await findContractForBatches(session, application)
    if (!contract || excludedContracts.has(contract.key)) continue
    const batches = await planContractBatches(session, contract, capacity - plans.length)
    plans.push(...batches.plans)
    waitMs = getShorterWait(waitMs, batches.waitMs)
  }
  return { plans, waitMs }
}

/** Returns the shorter of two waits. Null means that nothing waits. */
export const getShorterWait = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** Groups applications by organization. The organizations are sorted, starting after the one that was served last. */
function groupByTurn(waiting: readonly MintingApplication[], lastServed: string): [string, string[]][] {
  const byOrganization = Map.groupBy(waiting, ({ organization }) => organization)
  const names = [...byOrganization.keys()].sort()
  return [...names.filter((name) => name > lastServed), ...names.filter((name) => name <= lastServed)].map((name) => [
    name,
    (byOrganization.get(name) ?? []).map(({ application }) => application),
  ])
}

/**
 * Plans as many batches as the contract still takes. If the contract is full, requests a further contract, and the
 * batches wait until that one is deployed.
 */
async function planContractBatches(
  session: SenderSession,
  contract: PassportsContract,
  capacity: number,
): Promise<PlanResult> {
  const {
    db,
    capabilities: { maxTokensPerBatch },
  } = session
  const { key, address, issuer, application } = contract
  const queued = await listQueuedMints(db, session, application, capacity * maxTokensPerBatch)
  const minted = queued.filter((operation) => operation.minted)
  if (minted.length > 0) await settleRefusedOperations(session, minted, 'The token was minted before.')
  const { ready, waitMs } = collectReadyBatches(
    session,
    queued.filter((operation) => !operation.minted),
    maxTokensPerBatch,
  )
  if (ready.length === 0) return { plans: [], waitMs }
  const left = session.maxBatches - (await countBatches(db, session, address))
  if (left <= 0) {
    await replaceFullContract(session, { application, contract: address })
    return { plans: [], waitMs: 0 }
  }
  const target = { contract: address, issuer, minted: false, handovers: null, batch: null, position: null }
  const plans = ready.slice(0, Math.min(capacity, left)).flatMap((batch): TransactionPlan[] => {
    const operations = batch.sort((a, b) => a.token_id.compare(b.token_id))
    const [first] = operations
    if (!first) return []
    const act = getTokenAct(first.kind).createChainAct(operations, target)
    return typeof act === 'string' ? [] : [{ act, key, application, contract: address, operations }]
  })
  return { plans, waitMs }
}

/** Requests a further contract, which takes the application's batches from now on. */
export async function replaceFullContract(
  session: SenderSession,
  { application, contract }: Pick<TransactionPlan, 'application' | 'contract'>,
): Promise<void> {
  const { db, network, contracts, log } = session
  await insertFurtherContract(db, session, contract)
  if (application !== null) contracts.delete(application)
  log.info({ network, application, contract }, 'a contract has all its batches: a further one is deployed')
}

interface BatchCandidate {
  kind: string
  share: number | null
  age: number
}

/** Returns the batches that may be sent now, and how long incomplete batches wait for more operations. */
export function collectReadyBatches<T extends BatchCandidate>(
  { pacing }: SenderSession,
  queued: readonly T[],
  maxBatchSize: number,
): { ready: T[][]; waitMs: number | null } {
  const ready: T[][] = []
  let waitMs: number | null = null
  for (const batch of splitIntoBatches(queued, maxBatchSize)) {
    const age = Math.max(...batch.map((operation) => operation.age)) * 1_000
    // An operation that seems to be queued in the future was queued before the clock was set back.
    const isYoung = age >= 0 && age < pacing.batchDelayMs
    if (batch.length < maxBatchSize && batch[0]?.share === null && isYoung)
      waitMs = Math.ceil(pacing.batchDelayMs - age)
    else ready.push(batch)
  }
  return { ready, waitMs }
}

/**
 * Splits operations into batches in the order of the queue. Operations of one kind with the same share go together, and
 * the share limits the size of their batches.
 */
function splitIntoBatches<T extends BatchCandidate>(operations: readonly T[], maxBatchSize: number): T[][] {
  const groups = Map.groupBy(operations, ({ kind, share }) => `${kind} ${share}`)
  return [...groups.values()].flatMap((group) => {
    const size = Math.min(maxBatchSize, group[0]?.share ?? maxBatchSize)
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size),
    )
  })
}

/** Finds the newest contract of an application. @returns undefined while that contract is not on the chain */
async function findContractForBatches(
  session: SenderSession,
  application: string,
): Promise<PassportsContract | undefined> {
  const { contracts, db } = session
  const known = contracts.get(application)
  if (known?.newest) return known
  const found = await findNewestPassportsContract(db, session, application)
  if (found) contracts.set(application, found)
  return found?.newest ? found : undefined
}
