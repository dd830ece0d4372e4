import { deploy } from '../acts/deploy.ts'
import { hitFaultPoint } from '../../kernel/process/fault-points.ts'
import { listContractsToDeploy, recordDeployment, type WantedContract } from './rows/contracts.ts'
import { dispatchOrders, type TransactionOrder, type RefusedOrder } from './dispatch.ts'
import { ContractFullError, ContractUnavailableError, RevertedError, type NewContract } from '../family.ts'
import { getHeldContracts, holdContract, holdDeployment, releaseContract } from './contract-holds.ts'
import { requeueOperations } from './rows/operations.ts'
import { planPoints } from './plan.points.ts'
import {
  planBatches,
  planRecords,
  planSingleOperations,
  replaceFullContract,
  getShorterWait,
  type PlanResult,
  type TransactionPlan,
} from './plan.ts'
import { getSendCapacity, type SenderSession } from './session.ts'
import { settleRefusedOperations } from './settle.ts'

/**
 * The result of a round. `sent`: transactions that were sent. `waitMs`: milliseconds until an incomplete batch is sent
 * anyway; null if no batch waits.
 */
export interface SendQueuedResult {
  sent: number
  waitMs: number | null
}

/** Turns queued operations into transactions, as many as the send window allows. */
export async function sendQueuedOperations(session: SenderSession): Promise<SendQueuedResult> {
  const capacity = getSendCapacity(session)
  if (capacity <= 0) return { sent: 0, waitMs: null }
  const heldBefore = new Set(getHeldContracts(session))
  const deployed = await deployContracts(session)
  const records = await planRecords(session, Math.ceil(capacity * 0.25))
  const capacityLeft = capacity - records.plans.length
  // A crowd of claims leaves a quarter of the capacity to batches.
  const singles = await planSingleOperations(session, Math.ceil(capacityLeft * 0.75))
  const batches = await planInTurn(session, capacityLeft - singles.length)
  session.busyHolders = new Set()
  let sent = deployed + (await sendPlans(session, [...records.plans, ...singles]))
  const next = batches.plans[0]
  const job = next?.operations[0]?.job
  if (job !== undefined && (sent > 0 || job === session.lastServed.job))
    hitFaultPoint('unit.between', { job, step: 'send' })
  sent += await sendPlans(session, batches.plans)
  session.lastServed.job = batches.plans.at(-1)?.operations[0]?.job ?? session.lastServed.job
  // A contract that was just put on hold had capacity that other operations wait for: they get the next round at once,
  // before the hold ends.
  const isNewlyHeld = getHeldContracts(session).some((key) => !heldBefore.has(key))
  return { sent, waitMs: isNewlyHeld ? 0 : getShorterWait(records.waitMs, batches.waitMs) }
}

/** Plans batches and points. They take turns at planning first, because the first may leave nothing to the second. */
async function planInTurn(session: SenderSession, capacity: number): Promise<PlanResult> {
  const planners = session.isPointsTurn ? [planPoints, planBatches] : [planBatches, planPoints]
  session.isPointsTurn = !session.isPointsTurn
  const plans: TransactionPlan[] = []
  let waitMs: number | null = null
  for (const plan of planners) {
    const planned = await plan(session, capacity - plans.length)
    plans.push(...planned.plans)
    waitMs = getShorterWait(waitMs, planned.waitMs)
  }
  return { plans, waitMs }
}

/** Deploys the contracts that operations wait for. @returns number of contracts */
async function deployContracts(session: SenderSession): Promise<number> {
  const { db, network, adapter, log, capabilities } = session
  const wanted = await listContractsToDeploy(db, session, getHeldContracts(session))
  let sent = 0
  for (const wantedContract of wanted) {
    const { id, key, application } = wantedContract
    const contract = await createNewContract(session, wantedContract)
    if (!capabilities.deploys.includes(contract.kind)) {
      await recordGivenContract(session, wantedContract, contract)
      continue
    }
    const act = deploy.createChainAct(contract)
    const prepared = await adapter.prepareAct(act).catch(catchContractError)
    if (prepared instanceof Error) {
      holdDeployment(session, key, prepared.message)
      continue
    }
    const issuer = getIssuer(contract)
    let address = ''
    const [refused] = await dispatchOrders(session, [
      {
        prepared,
        application,
        contract: null,
        operations: [],
        async onStore(trx, flight) {
          address = flight.contract ?? ''
          await recordDeployment(trx, { id, issuer, address, transaction: flight.id })
        },
      },
    ])
    if (refused) {
      holdDeployment(session, key, refused.cause.message)
      log.error({ err: refused.cause.cause, network, contract: key }, 'the signer does not sign a deployment')
      continue
    }
    if (application === null) session.hasSharedContracts = true
    log.info({ network, contract: key, address }, 'a contract is deployed')
    sent++
  }
  return sent
}

const getIssuer = (contract: NewContract) => (contract.kind === 'passports' ? contract.issuer : null)

/** Records the address of a contract that is there without a transaction. */
async function recordGivenContract(
  session: SenderSession,
  { id, application }: WantedContract,
  contract: NewContract,
): Promise<void> {
  const address = await session.adapter.computeContractAddress(contract, null)
  await recordDeployment(session.db, { id, issuer: getIssuer(contract), address, transaction: null })
  if (application === null) session.hasSharedContracts = true
}

async function createNewContract({ adapter, baseUri }: SenderSession, wanted: WantedContract): Promise<NewContract> {
  if (wanted.application === null) return { kind: wanted.kind }
  const { kind, application, name, symbol } = wanted
  if (kind === 'points') return { kind, application, name, symbol }
  return { kind, application, name, symbol, baseUri, issuer: await adapter.ensureWallet(`issuer:${application}`) }
}

/** Simulates all plans, then dispatches those that the chain would perform. @returns number of transactions */
async function sendPlans(session: SenderSession, plans: readonly TransactionPlan[]): Promise<number> {
  const simulated = await Promise.all(plans.map(({ act }) => session.adapter.prepareAct(act).catch(catchContractError)))
  const orders: (TransactionPlan & TransactionOrder)[] = []
  for (const [index, plan] of plans.entries()) {
    const prepared = simulated[index]
    if (prepared instanceof RevertedError) await failOrSplitPlan(session, plan, prepared)
    else if (prepared instanceof ContractUnavailableError) holdContract(session, plan.key, prepared.message)
    else if (prepared instanceof ContractFullError) await replaceFullContract(session, plan)
    else if (prepared) orders.push({ ...plan, prepared })
  }
  const refusedOrders = new Map((await dispatchOrders(session, orders)).map((one) => [one.order, one]))
  for (const order of orders) if (!refusedOrders.has(order)) releaseContract(session, order.key)
  for (const order of orders) {
    const refusedOrder = refusedOrders.get(order)
    if (refusedOrder) await handleOrderRefusal(session, order, refusedOrder)
  }
  return orders.length - refusedOrders.size
}

async function handleOrderRefusal(session: SenderSession, plan: TransactionPlan, refused: RefusedOrder): Promise<void> {
  const { log, network } = session
  if (refused.cause.signedPlace !== undefined) return awaitPlace(session, plan, refused.cause.signedPlace)
  log.error({ err: refused.cause.cause, network }, 'the signer does not sign what was queued')
  await failOrSplitPlan(session, plan, refused.cause)
}

/**
 * Holds a plan whose act was signed before, for a place that may still be used with those bytes. That happens if a crash
 * came between signing and storing, or if another process called the signer. The place has to be used up first.
 */
async function awaitPlace(session: SenderSession, plan: TransactionPlan, place: number | null): Promise<void> {
  const { adapter, network, log, sequence } = session
  log.warn({ network, contract: plan.contract, place }, 'what was queued was signed before: it waits for that place')
  const isAhead = place !== null && (await sequence.skipPlaces(place))
  if (!isAhead && 'tokenIds' in plan.act) {
    // When the contract mints a batch, it does not notice that tokens of the batch already exist.
    const owners = await adapter.findOwners(plan.contract, plan.act.tokenIds)
    const minted = plan.operations.filter((_, index) => owners[index])
    if (minted.length > 0) return settleRefusedOperations(session, minted, 'The token was minted before.')
  }
  holdContract(session, plan.key, 'The same was signed for a place that is not used up.')
}

function catchContractError(cause: unknown): RevertedError | ContractUnavailableError | ContractFullError {
  if (cause instanceof RevertedError || cause instanceof ContractUnavailableError || cause instanceof ContractFullError)
    return cause
  throw cause
}

async function failOrSplitPlan(
  session: SenderSession,
  { operations }: TransactionPlan,
  { message }: Error,
): Promise<void> {
  if (operations.length === 1) return settleRefusedOperations(session, operations, message)
  await requeueOperations(
    session.db,
    operations.map(({ id }) => id),
    Math.floor(operations.length / 2),
  )
}
