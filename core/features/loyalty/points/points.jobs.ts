import { declareJob } from '../../../kernel/job.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { closeGathering, countOrders, gatheringSeconds, type GatheringPlace } from '../posting/index.ts'

/** Seconds after which a job looks at its orders without having been woken. */
const lookSeconds = 10

/**
 * The job of the points of an application that were credited or taken at about the same time. It gathers them, counts
 * them once it has closed, and ends when the chain has all of them.
 */
export const pointsJob = declareJob<GatheringPlace>({
  type: 'points',
  permission: 'loyalty:read',
  retryPermission: 'loyalty:update',
  maxAttempts: 20,
  async run({ id, payload, ...job }, { context, step }) {
    if (!(await closeGathering(context.db, id, payload))) return { status: 'waiting', delaySeconds: gatheringSeconds }
    hitFaultPoint('points.closed', { job: id, step: 'count' })
    const { total, settled, failed } = await step(async (trx, recordProgress) => {
      const counts = await countOrders(trx, id)
      // What the chain dropped is counted already and goes on; a counter never goes back.
      recordProgress({
        total: counts.total - job.total,
        completed: Math.max(0, counts.settled - job.completed),
        failed: Math.max(0, counts.failed - job.failed),
      })
      return counts
    })
    if (settled + failed < total) return { status: 'waiting', delaySeconds: lookSeconds }
    if (settled === 0 && failed > 0)
      return { status: 'failed', code: 'POINTS_FAILED', message: 'No entry could be written on the chain.' }
    return { status: 'completed', result: { entries: settled } }
  },
})
