import { faultPoint } from '../../kernel/fault.ts'
import { job } from '../../kernel/job.ts'
import { publishChunk, type PublishPayload } from './publish.ts'

/** Passports published in one transaction. */
const chunk = 500

/** Publishes its units chunk by chunk. A chunk is done as a whole or not at all, so a run may die anywhere. */
export const publishJob = job<PublishPayload>({
  type: 'publish',
  permission: 'dpp:read',
  attempts: 20,
  async run({ id, organization, state }, { step }) {
    let published = Number(state['published'] ?? 0)
    let skipped = Number(state['skipped'] ?? 0)
    for (;;) {
      const { taken, ...chunked } = await step(async (trx, move) => {
        const done = await publishChunk(trx, id, organization, chunk)
        const next = { published: published + done.published, skipped: skipped + done.taken - done.published }
        if (done.taken > 0) move({ completed: done.taken, state: next })
        return { taken: done.taken, ...next }
      })
      if (taken === 0) return { status: 'completed', result: { published, skipped } };
      ({ published, skipped } = chunked)
      faultPoint('unit.between', { job: id, step: 'publish' })
    }
  },
})
