import { declareJob } from '../../../kernel/job.ts'
import { eachBatch } from '../../../queue/batches/each-batch.ts'
import { linkParents, structureStep, takeStructureItems } from './structure.ts'

/** The number of passports that one transaction handles. */
const batchSize = 500

/**
 * The job that finds the parents of its items. The result is `{linked, unlinked}`: `linked` counts items that have
 * every parent that their numbers name; `unlinked` counts the others, which still wait for a parent or no longer exist.
 * Items that a later job has taken over count as completed here.
 */
export const structureJob = declareJob<object>({
  type: 'structure',
  permission: 'dpp:read',
  retryPermission: 'dpp:update',
  maxAttempts: 20,
  async run({ id, total, ...job }, run) {
    const { linked, failed } = await eachBatch(run, {
      job: id,
      step: structureStep,
      state: { linked: Number(job.state['linked'] ?? 0), failed: job.failed },
      take: (trx) => takeStructureItems(trx, id, batchSize),
      async work(trx, items, state) {
        const { linked, errors } = await linkParents(trx, id, items)
        return {
          state: { linked: state.linked + linked, failed: state.failed + errors.length },
          progress: { completed: items.length - errors.length, failed: errors.length, errors },
        }
      },
    })
    if (failed === total) {
      return {
        status: 'failed',
        code: 'STRUCTURE_FAILED',
        message: 'The numbers of no passport can lead to its batch.',
      }
    }
    return { status: 'completed', result: { linked, unlinked: total - failed - linked } }
  },
})
