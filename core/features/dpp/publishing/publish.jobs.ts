import { declareJob } from '../../../kernel/job.ts'
import { releaseUnits } from '../../../meters/index.ts'
import { eachBatch } from '../../../queue/batches/each-batch.ts'
import { parseCounts, runCertification } from '../certificates/index.ts'
import { abandonPendingCertification } from '../passports/index.ts'
import { takeNextUnits } from '../selection/index.ts'
import { publishUnits, type PublishPayload } from './publish.ts'

/** The number of passports that one transaction publishes. */
const batchSize = 500

/** The job that publishes its units, then certifies what it published. */
export const publishJob = declareJob<PublishPayload>({
  type: 'publish',
  permission: 'dpp:read',
  retryPermission: 'dpp:update',
  maxAttempts: 20,
  async run(running, run) {
    const {
      id,
      organization,
      state,
      payload: { skipCertification },
    } = running
    const counts = await eachBatch(run, {
      job: id,
      step: 'publish',
      state: parseCounts(state),
      take: (trx) => takeNextUnits(trx, id, 'publish', batchSize),
      async work(trx, units, counts) {
        const task = { job: id, organization, skipCertification }
        const done = await publishUnits(trx, run.context, task, units)
        return {
          state: {
            ...counts,
            published: counts.published + done.published,
            skipped: counts.skipped + units.length - done.published,
          },
          progress: { completed: units.length - done.queuedForCertification },
        }
      },
    })
    const { published, skipped } = counts
    if (skipCertification) return { status: 'completed', result: { published, skipped } }
    return runCertification(running, run, counts, ({ certified, unchanged, nothingToCertify, failed }) => ({
      status: 'completed',
      result: { published, skipped, certified, unchanged, nothingToCertify, failed },
    }))
  },
  async handleFailure(trx, { id, organization }) {
    await releaseUnits(trx, id)
    await abandonPendingCertification(trx, id, organization)
  },
})
