import { getPointsAct } from '../acts/acts.ts'
import { getHeldContracts } from './contract-holds.ts'
import { collectReadyBatches, getShorterWait, type PlanResult, type TransactionPlan } from './plan.ts'
import { listPointsApplications, listQueuedPoints, type PointsApplication, type QueuedPoints } from './rows/points.ts'
import { getOrganizationCapacity, type SenderSession } from './session.ts'

/** Maximum number of transactions of points in one round. Short rounds let other work in between. */
const maxPlansPerRound = 4

/**
 * Plans points: in each round at most one transaction of an application, for many of its accounts. The applications have
 * their turns, starting after the one that was served last.
 */
export async function planPoints(session: SenderSession, capacity: number): Promise<PlanResult> {
  const plans: TransactionPlan[] = []
  let waitMs: number | null = null
  if (capacity <= 0) return { plans, waitMs }
  const { db, lastServed, capabilities } = session
  const maxPlans = Math.min(capacity, maxPlansPerRound)
  const planned = new Map<string, number>()
  const applications = await listPointsApplications(db, session, getHeldContracts(session))
  for (const target of sortByTurn(applications, lastServed.points)) {
    if (plans.length >= maxPlans) break
    const { application, organization } = target
    const before = planned.get(organization) ?? 0
    if (before >= getOrganizationCapacity(session, organization)) continue
    const maxBatchSize = capabilities.maxPointsPerTransaction
    const queued = await listQueuedPoints(db, session, application, maxBatchSize)
    const batches = collectReadyBatches(session, queued, maxBatchSize)
    waitMs = getShorterWait(waitMs, batches.waitMs)
    const [batch] = batches.ready
    if (!batch) continue
    plans.push(createPointsPlan(target, batch))
    planned.set(organization, before + 1)
    lastServed.points = application
  }
  return { plans, waitMs }
}

function createPointsPlan({ application, key, contract }: PointsApplication, batch: QueuedPoints[]): TransactionPlan {
  const [first] = batch
  if (!first) throw new Error('a plan has no points')
  const act = getPointsAct(first.kind).createChainAct(batch, contract)
  return { act, key, application, contract, operations: batch }
}

/** Sorts applications so that those after the one that was served last come first. They are sorted by id before. */
const sortByTurn = (applications: readonly PointsApplication[], lastServed: string): PointsApplication[] => [
  ...applications.filter(({ application }) => application > lastServed),
  ...applications.filter(({ application }) => application <= lastServed),
]
