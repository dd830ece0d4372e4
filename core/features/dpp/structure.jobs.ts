import { faultPoint } from '../../kernel/fault.ts'
import { job, type Run } from '../../kernel/job.ts'
import { structureChunk } from './structure.ts'

/** Passports looked at in one transaction. */
const chunk = 500

/**
 * Finds the parents of its units chunk by chunk. A chunk is done as a whole or not at all, so a run may die anywhere.
 * The result is `{linked, unlinked}`: those that have every parent their numbers name, and the others, which still wait
 * for one or are gone. Superseded units, that a later job has taken over, count as done here.
 */
export const structureJob = job<object>({
  type: 'structure',
  permission: 'dpp:read',
  attempts: 20,
  async run({ id, total, failed, state }, { step }) {
    let done = { linked: Number(state['linked'] ?? 0), failed }
    for (;;) {
      const { taken, ...after } = await nextChunk(id, done, step)
      done = after
      if (taken === 0) break
      faultPoint('unit.between', { job: id, step: 'structure' })
    }
    if (done.failed === total) {
      return { status: 'failed', code: 'STRUCTURE_FAILED', message: 'The numbers of no passport can lead to its batch.' }
    }
    return { status: 'completed', result: { linked: done.linked, unlinked: total - done.failed - done.linked } }
  },
})

function nextChunk(id: string, { linked, failed }: { linked: number; failed: number }, step: Run['step']) {
  return step(async (trx, move) => {
    const { taken, errors, ...chunked } = await structureChunk(trx, id, chunk)
    const after = { linked: linked + chunked.linked, failed: failed + errors.length }
    if (taken > 0) {
      move({ completed: taken - errors.length, failed: errors.length, errors, state: { linked: after.linked } })
    }
    return { taken, ...after }
  })
}
