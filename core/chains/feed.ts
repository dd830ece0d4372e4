import { faultPoint } from '../kernel/fault.ts'
import { contractsToDeploy, recordDeployment, type WantedContract } from './contracts.ts'
import { dispatch, type Dispatch, type OrderRefusedError } from './dispatch.ts'
import { ContractFull, NotNow, Reverted, type NewContract } from './family.ts'
import { held, hold, holdDeployment, release } from './holding.ts'
import { requeue } from './operations.ts'
import { planBatches, planRecords, planSingles, replaceFullContract, sooner, type Plan } from './plans.ts'
import { leaveNonces, roomOf, type Session } from './session.ts'
import { refuse } from './settling.ts'

/** `sent`: transactions that left. `wait`: milliseconds until an incomplete batch leaves anyway; null: none waits. */
export interface Fed { sent: number; wait: number | null }

/** Turns queued operations into transactions, as many as the window lets. */
export async function feed(session: Session): Promise<Fed> {
  const room = roomOf(session)
  if (room <= 0) return { sent: 0, wait: null }
  const before = new Set(held(session))
  const deployed = await deploy(session)
  const records = await planRecords(session, Math.ceil(room * 0.25))
  const left = room - records.plans.length
  // A crowd of claims leaves a quarter to batches.
  const singles = await planSingles(session, Math.ceil(left * 0.75))
  const batches = await planBatches(session, left - singles.length)
  session.busy = new Set()
  let sent = deployed + await send(session, [...records.plans, ...singles])
  const next = batches.plans[0]
  const job = next?.operations[0]?.job
  if (job !== undefined && (sent > 0 || job === session.served.job)) faultPoint('unit.between', { job, step: 'send' })
  sent += await send(session, batches.plans)
  session.served.job = batches.plans.at(-1)?.operations[0]?.job ?? session.served.job
  // What has just been found to take nothing had room that others wait for: they come next, before its pause is over.
  const refused = held(session).some((key) => !before.has(key))
  return { sent, wait: refused ? 0 : sooner(records.wait, batches.wait) }
}

/** Deploys the contracts that operations wait for. @returns how many */
async function deploy(session: Session): Promise<number> {
  const { db, network, family, log } = session
  const wanted = await contractsToDeploy(db, session, held(session))
  let sent = 0
  for (const one of wanted) {
    const { id, key, application } = one
    const contract = await contractFor(session, one)
    const unit = { kind: 'deploy', contract } as const
    const prepared = await family.prepare(unit).catch(refusal)
    if (prepared instanceof Error) {
      holdDeployment(session, key, prepared.message)
      continue
    }
    const address = await family.contractAt(session.nonce)
    const issuer = contract.kind === 'passports' ? contract.issuer : null
    const [refused] = await dispatch(session, [{
      unit, prepared, application, contract: address, operations: [],
      also: (trx, transaction) => recordDeployment(trx, { id, issuer, address, transaction }),
    }])
    if (refused) {
      holdDeployment(session, key, refused.message)
      log.error({ err: refused.cause, network, contract: key }, 'the signer does not sign a deployment')
      continue
    }
    if (application === null) session.recorder = true
    log.info({ network, contract: key, address }, 'a contract is deployed')
    sent++
  }
  return sent
}

async function contractFor({ signer, baseUri }: Session, wanted: WantedContract): Promise<NewContract> {
  if (wanted.kind !== 'passports') return { kind: wanted.kind }
  const { kind, application, name, symbol } = wanted
  return { kind, application, name, symbol, baseUri, issuer: await signer.ensureKey(`issuer:${application}`, 'evm') }
}

/** Simulates all, then dispatches what the chain would do. @returns how many */
async function send(session: Session, plans: readonly Plan[]): Promise<number> {
  const simulated = await Promise.all(plans.map(({ unit }) => session.family.prepare(unit).catch(refusal)))
  const orders: (Plan & Dispatch)[] = []
  for (const [index, plan] of plans.entries()) {
    const prepared = simulated[index]
    if (prepared instanceof Reverted) await refuseOrSplit(session, plan, prepared)
    else if (prepared instanceof NotNow) hold(session, plan.key, prepared.message)
    else if (prepared instanceof ContractFull) await replaceFullContract(session, plan)
    else if (prepared) orders.push({ ...plan, prepared })
  }
  const refused = new Map((await dispatch(session, orders)).map((one) => [one.order, one]))
  for (const order of orders) if (!refused.has(order)) release(session, order.key)
  for (const order of orders) {
    const refusedOrder = refused.get(order)
    if (refusedOrder) await putBack(session, order, refusedOrder)
  }
  return orders.length - refused.size
}

async function putBack(session: Session, plan: Plan, refused: OrderRefusedError): Promise<void> {
  const { log, network } = session
  if (refused.signedUnder !== undefined) return awaitNonce(session, plan, refused.signedUnder)
  log.error({ err: refused.cause, network }, 'the signer does not sign what was queued')
  await refuseOrSplit(session, plan, refused)
}

/**
 * Has a plan wait that was signed before, under a nonce that may still be used with those bytes: a crash came between
 * the signing and the storing, or somebody else asked the signer. Something has to use that nonce up.
 */
async function awaitNonce(session: Session, plan: Plan, nonce: number | null): Promise<void> {
  const { family, network, log } = session
  log.warn({ network, contract: plan.contract, nonce }, 'what was queued was signed before: it waits for that nonce')
  if (nonce !== null && nonce >= session.nonce) await leaveNonces(session, nonce)
  else if (plan.unit.kind === 'mintBatch') {
    // Of a batch the contract does not see that its tokens are there.
    const owners = await family.owners(plan.contract, plan.unit.tokenIds)
    const minted = plan.operations.filter((_, place) => owners[place])
    if (minted.length > 0) return refuse(session, minted, 'The token was minted before.')
  }
  hold(session, plan.key, 'The same was signed under a nonce that is not over.')
}

function refusal(cause: unknown): Reverted | NotNow | ContractFull {
  if (cause instanceof Reverted || cause instanceof NotNow || cause instanceof ContractFull) return cause
  throw cause
}

async function refuseOrSplit(session: Session, { operations }: Plan, { message }: Error): Promise<void> {
  if (operations.length === 1) return refuse(session, operations, message)
  await requeue(session.db, operations.map(({ id }) => id), Math.floor(operations.length / 2))
}
