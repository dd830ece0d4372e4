import { faultPoint } from '../kernel/fault.ts'
import { adoptContracts, contractOf, contractsToDeploy, recordDeployment, type Contract } from './contracts.ts'
import { dispatch } from './dispatch.ts'
import { Reverted, type Prepared, type Unit } from './family.ts'
import {
  applicationsWithMints, queuedMints, queuedSingles, requeue, tokenIdOf, type QueuedOperation,
} from './operations.ts'
import type { Session } from './session.ts'
import { settleFailed } from './settling.ts'

/** A transaction to be: what it does and whose operations it does. */
interface Plan { unit: Unit; contract: Contract; operations: readonly QueuedOperation[] }

/** `sent`: transactions that left. `wait`: milliseconds until an incomplete batch leaves anyway; null: none waits. */
export interface Fed { sent: number; wait: number | null }

/** Turns queued operations into transactions, as many as the window lets. */
export async function feed(session: Session): Promise<Fed> {
  const room = session.pace.window - session.flights.length
  if (session.more || room <= 0) return { sent: 0, wait: null }
  await deploy(session)
  const singles = await planSingles(session, room)
  const batches = await planBatches(session, room - singles.length)
  const sent = await send(session, [...singles, ...batches.plans])
  return { sent, wait: batches.wait }
}

/** Deploys the contracts that operations wait for. */
async function deploy(session: Session): Promise<void> {
  const { db, network, address, place, of, signer, family, baseUri, log } = session
  await adoptContracts(db, network, address, place, of)
  for (const { application, name, symbol } of await contractsToDeploy(db, network, address)) {
    const issuer = await signer.ensureKey(`issuer:${application}`, 'evm')
    const unit: Unit = { kind: 'deploy', collection: { name, symbol, baseUri, issuer } }
    const prepared = await family.prepare(unit)
    const contract = family.contractAt(session.nonce)
    await dispatch(session, {
      unit, prepared, application, contract, operations: [],
      also: (trx, transaction) => recordDeployment(trx, network, application, { issuer, address: contract, transaction }),
    })
    log.info({ network, application, contract }, 'a contract is deployed')
  }
}

async function planSingles(session: Session, room: number): Promise<Plan[]> {
  const { db, network, address } = session
  const plans: Plan[] = []
  for (const operation of await queuedSingles(db, network, address, room)) {
    const contract = await contractOf(db, network, operation.application)
    if (!contract?.deployed || contract.address === null) continue
    const unit = singleUnit(operation, contract.address)
    if (typeof unit === 'string') await refuse(session, [operation], unit)
    else plans.push({ unit, contract, operations: [operation] })
  }
  return plans
}

/** What an operation does by itself, or why it cannot. */
function singleUnit(operation: QueuedOperation, contract: string): Unit | string {
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

/** One batch of each application in turn, and again while there is room. */
async function planBatches(session: Session, room: number): Promise<{ plans: Plan[]; wait: number | null }> {
  const { db, network, address } = session
  const applications = inTurnAfter(await applicationsWithMints(db, network, address), session.served)
  const share = Math.ceil(room / Math.max(1, applications.length))
  const plans: Plan[] = []
  let wait: number | null = null
  for (const application of applications) {
    const contract = await contractOf(db, network, application)
    if (plans.length >= room || !contract?.deployed) continue
    const batches = await batchesOf(session, contract, Math.min(share, room - plans.length))
    plans.push(...batches.plans)
    if (batches.wait !== null) wait = Math.min(wait ?? batches.wait, batches.wait)
    session.served = application
  }
  return { plans, wait }
}

function inTurnAfter(applications: readonly string[], served: string): string[] {
  return [...applications.filter((application) => application > served), ...applications.filter((application) => application <= served)]
}

async function batchesOf(session: Session, contract: Contract, room: number): Promise<{ plans: Plan[]; wait: number | null }> {
  const { db, network, family: { batchLimit }, pace } = session
  const { address, issuer } = contract
  if (address === null || issuer === null) return { plans: [], wait: null }
  const queued = await queuedMints(db, network, contract.application, room * batchLimit)
  const minted = queued.filter((operation) => operation.minted)
  if (minted.length > 0) await refuse(session, minted, 'The token was minted before.')
  const plans: Plan[] = []
  let wait: number | null = null
  for (const batch of batched(queued.filter((operation) => !operation.minted), batchLimit)) {
    const age = Math.max(...batch.map((operation) => operation.age)) * 1_000
    if (batch.length < batchLimit && batch[0]?.share === null && age < pace.gather) wait = Math.ceil(pace.gather - age)
    else if (plans.length < room) plans.push({ unit: mintBatch(address, issuer, batch), contract, operations: batch })
  }
  return { plans, wait }
}

function mintBatch(contract: string, issuer: string, operations: readonly QueuedOperation[]): Unit {
  return { kind: 'mintBatch', contract, issuer, tokenIds: operations.map(tokenIdOf) }
}

/** Batches in the order of the queue, each sorted by token id and no larger than its smallest share. */
export function batched(operations: readonly QueuedOperation[], limit: number): QueuedOperation[][] {
  const byShare = Map.groupBy(operations, ({ share }) => share)
  return [...byShare].flatMap(([share, group]) => {
    const size = Math.min(limit, share ?? limit)
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size).sort((a, b) => a.token_id.compare(b.token_id)))
  })
}

/** Simulates all, then signs, stores and sends one after the other. */
async function send(session: Session, plans: readonly Plan[]): Promise<number> {
  const simulated = await Promise.all(plans.map(({ unit }) => session.family.prepare(unit).catch((cause: unknown) => {
    if (cause instanceof Reverted) return cause
    throw cause
  })))
  let sent = 0
  for (const [index, plan] of plans.entries()) {
    const prepared = simulated[index]
    if (prepared instanceof Reverted) await refuseOrSplit(session, plan, prepared)
    else if (prepared) sent += await sendOne(session, plan, prepared)
  }
  return sent
}

async function sendOne(session: Session, { unit, contract, operations }: Plan, prepared: Prepared): Promise<1> {
  faultPoint('unit.between', { kind: unit.kind })
  await dispatch(session, { unit, prepared, application: contract.application, contract: contract.address, operations })
  return 1
}

async function refuseOrSplit(session: Session, { operations }: Plan, { message }: Reverted): Promise<void> {
  if (operations.length === 1) return refuse(session, operations, message)
  await requeue(session.db, operations.map(({ id }) => id), Math.floor(operations.length / 2))
}

async function refuse(session: Session, operations: readonly QueuedOperation[], reason: string): Promise<void> {
  for (const group of Map.groupBy(operations, ({ application, kind }) => `${application} ${kind}`).values()) {
    await session.db.transaction((trx) => settleFailed(session, trx, group, reason))
  }
}
