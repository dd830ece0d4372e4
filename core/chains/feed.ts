import { faultPoint } from '../kernel/fault.ts'
import { contractOf, contractsToDeploy, recordDeployment } from './contracts.ts'
import { dispatch, type Dispatch } from './dispatch.ts'
import { NotNow, Reverted, type Prepared, type Unit } from './family.ts'
import { held, hold, holdDeployment, release } from './holding.ts'
import {
  applicationsWithMints, queuedMints, queuedSingles, requeue, tokenIdOf, type QueuedOperation,
} from './operations.ts'
import { roomOf, type Deployed, type Session } from './session.ts'
import { settleFailed } from './settling.ts'

/** A transaction to be: what it does and whose operations it does. */
interface Plan { unit: Unit; contract: Deployed; operations: readonly QueuedOperation[] }

/** `sent`: transactions that left. `wait`: milliseconds until an incomplete batch leaves anyway; null: none waits. */
export interface Fed { sent: number; wait: number | null }

/** Most batches that are signed and stored together. */
const together = 4

/** Turns queued operations into transactions, as many as the window lets. */
export async function feed(session: Session): Promise<Fed> {
  const room = roomOf(session)
  if (room <= 0) return { sent: 0, wait: null }
  const deployed = await deploy(session)
  // A crowd of claims leaves a quarter to batches.
  const singles = await planSingles(session, Math.ceil(room * 0.75))
  const batches = await planBatches(session, room - singles.length)
  let sent = deployed + await send(session, singles)
  for (let from = 0; from < batches.plans.length; from += together) {
    if (sent > 0) faultPoint('unit.between', { job: batches.plans[from]?.operations[0]?.job, step: 'send' })
    sent += await send(session, batches.plans.slice(from, from + together))
  }
  return { sent, wait: batches.wait }
}

/** Deploys the contracts that operations wait for. @returns how many */
async function deploy(session: Session): Promise<number> {
  const { db, network, signer, family, baseUri, log } = session
  const wanted = await contractsToDeploy(db, session, held(session))
  let sent = 0
  for (const { application, name, symbol } of wanted) {
    const issuer = await signer.ensureKey(`issuer:${application}`, 'evm')
    const unit: Unit = { kind: 'deploy', collection: { name, symbol, baseUri, issuer } }
    const prepared = await family.prepare(unit).catch(refusal)
    if (prepared instanceof Error) {
      holdDeployment(session, application, prepared.message)
      continue
    }
    const address = family.contractAt(session.nonce)
    await dispatch(session, [{
      unit, prepared, application, contract: address, operations: [],
      also: (trx, transaction) => recordDeployment(trx, { network, application, issuer, address, transaction }),
    }])
    log.info({ network, application, contract: address }, 'a contract is deployed')
    sent++
  }
  return sent
}

async function deployedContract(session: Session, application: string): Promise<Deployed | undefined> {
  const { contracts, db } = session
  const known = contracts.get(application)
  if (known) return known
  const { deployed, address, issuer } = await contractOf(db, session, application) ?? {}
  if (!deployed || !address || !issuer) return undefined
  const found = { application, address, issuer }
  contracts.set(application, found)
  return found
}

async function planSingles(session: Session, room: number): Promise<Plan[]> {
  const plans: Plan[] = []
  for (const operation of await queuedSingles(session.db, session, room, held(session))) {
    const contract = await deployedContract(session, operation.application)
    if (!contract) continue
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

interface Planned { plans: Plan[]; wait: number | null }

/** The same room for the batches of each application; what is left over goes to the first. */
async function planBatches(session: Session, room: number): Promise<Planned> {
  const without = new Set(held(session))
  const waiting = (await applicationsWithMints(session.db, session)).filter((one) => !without.has(one))
  const applications = inTurnAfter(waiting, session.served)
  const share = Math.ceil(room / Math.max(1, applications.length))
  const plans: Plan[] = []
  let wait: number | null = null
  for (const application of applications) {
    const contract = plans.length < room ? await deployedContract(session, application) : undefined
    if (!contract) continue
    const batches = await batchesOf(session, contract, Math.min(share, room - plans.length))
    plans.push(...batches.plans)
    if (batches.wait !== null) wait = Math.min(wait ?? batches.wait, batches.wait)
    session.served = application
  }
  return { plans, wait }
}

function inTurnAfter(applications: readonly string[], served: string): string[] {
  const later = applications.filter((application) => application > served)
  return [...later, ...applications.filter((application) => application <= served)]
}

async function batchesOf(session: Session, contract: Deployed, room: number): Promise<Planned> {
  const { db, family: { batchLimit }, pace } = session
  const { address, issuer } = contract
  const queued = await queuedMints(db, session, contract.application, room * batchLimit)
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

/** Simulates all, then dispatches what the chain would do. @returns how many */
async function send(session: Session, plans: readonly Plan[]): Promise<number> {
  const simulated = await Promise.all(plans.map(({ unit }) => session.family.prepare(unit).catch(refusal)))
  const orders: Dispatch[] = []
  for (const [index, plan] of plans.entries()) {
    const prepared = simulated[index]
    if (prepared instanceof Reverted) await refuseOrSplit(session, plan, prepared)
    else if (prepared instanceof NotNow) hold(session, plan.contract.application, prepared.message)
    else if (prepared) orders.push(orderOf(plan, prepared))
  }
  if (orders.length > 0) await dispatch(session, orders)
  for (const { application } of orders) if (application !== null) release(session, application)
  return orders.length
}

function orderOf({ unit, operations, contract: { application, address } }: Plan, prepared: Prepared): Dispatch {
  return { unit, operations, prepared, application, contract: address }
}

function refusal(cause: unknown): Reverted | NotNow {
  if (cause instanceof Reverted || cause instanceof NotNow) return cause
  throw cause
}

async function refuseOrSplit(session: Session, { operations }: Plan, { message }: Reverted): Promise<void> {
  if (operations.length === 1) return refuse(session, operations, message)
  await requeue(session.db, operations.map(({ id }) => id), Math.floor(operations.length / 2))
}

async function refuse(session: Session, operations: readonly QueuedOperation[], reason: string): Promise<void> {
  for (const group of Map.groupBy(operations, ({ application, kind }) => `${application} ${kind}`).values()) {
    await session.db.transaction((trx) => settleFailed(session, trx, group, reason)).catch((cause: unknown) => {
      session.log.error({ err: cause, network: session.network }, 'a failure could not be handed over')
    })
  }
}
