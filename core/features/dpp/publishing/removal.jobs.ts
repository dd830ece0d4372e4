import { declareJob } from '../../../kernel/job.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { eachBatch } from '../../../queue/batches/each-batch.ts'
import { takeNextUnits } from '../selection/index.ts'
import { type RemovalStep, removeUnits } from './removal.ts'

/** The number of passports that one transaction deletes or archives. */
const batchSize = 500

/** The words of the job's result and of its failure. */
const wordsByStep = { delete: 'deleted', archive: 'archived' } as const

/** The permissions of the operations that start the jobs. */
const retryPermissions = { delete: 'dpp:delete', archive: 'dpp:update' } as const

interface RemovalState {
  removed: number
  failed: number
}

/**
 * Declares a job that removes its units. The result is `{deleted, skipped}` or `{archived, skipped}`: `skipped` counts
 * the passports that cannot be removed, which are its errors, and those that were gone or archived before.
 */
const declareRemovalJob = (step: RemovalStep) =>
  declareJob<object>({
    type: step,
    permission: 'dpp:read',
    retryPermission: retryPermissions[step],
    maxAttempts: 20,
    async run({ id, organization, total, state }, run) {
      const { removed, failed } = await eachBatch<Unit, RemovalState>(run, {
        job: id,
        step,
        state: { removed: Number(state['removed'] ?? 0), failed: Number(state['failed'] ?? 0) },
        take: (trx) => takeNextUnits(trx, id, step, batchSize),
        async work(trx, units, counts) {
          const done = await removeUnits(trx, run.context, { organization, step }, units)
          hitFaultPoint('remove.storing', { job: id, step })
          const { errors } = done
          return {
            state: { removed: counts.removed + done.removed, failed: counts.failed + errors.length },
            progress: { completed: units.length - errors.length, failed: errors.length, errors },
          }
        },
      })
      const word = wordsByStep[step]
      if (total > 0 && failed === total) {
        const code = `${step.toUpperCase()}_FAILED`
        return { status: 'failed', code, message: `Not one passport could be ${word}.` }
      }
      return { status: 'completed', result: { [word]: removed, skipped: total - removed } }
    },
  })

type Unit = Awaited<ReturnType<typeof takeNextUnits>>[number]

export const deleteJob = declareRemovalJob('delete')
export const archiveJob = declareRemovalJob('archive')
