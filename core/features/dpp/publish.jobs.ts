import { faultPoint } from '../../kernel/fault.ts'
import { job } from '../../kernel/job.ts'
import { certification, countsOf } from './certify.run.ts'
import { abandonCertificates } from './certify.settle.ts'
import { publishChunk, type PublishPayload } from './publish.ts'

/** Passports published in one transaction. */
const chunk = 500

/**
 * Publishes its units chunk by chunk, then certifies what it published. A chunk is done as a whole or not at all, so a
 * run may die anywhere.
 */
export const publishJob = job<PublishPayload>({
  type: 'publish',
  permission: 'dpp:read',
  attempts: 20,
  async run(running, run) {
    const { id, organization, state, payload: { skipCertification } } = running
    let counts = countsOf(state)
    for (;;) {
      const { taken, next } = await run.step(async (trx, move) => {
        const done = await publishChunk(trx, run.context, { job: id, organization, skipCertification }, chunk)
        const next = {
          ...counts, published: counts.published + done.published, skipped: counts.skipped + done.taken - done.published,
        }
        if (done.taken > 0) move({ completed: done.taken - done.handedOn, state: { ...next } })
        return { taken: done.taken, next }
      })
      if (taken === 0) break
      counts = next
      faultPoint('unit.between', { job: id, step: 'publish' })
    }
    const { published, skipped } = counts
    if (skipCertification) return { status: 'completed', result: { published, skipped } }
    return certification(running, run, counts, ({ certified, unchanged, nothingToCertify, failed }) => ({
      status: 'completed', result: { published, skipped, certified, unchanged, nothingToCertify, failed },
    }))
  },
  abandon: (trx, { id, organization }) => abandonCertificates(trx, id, organization),
})
