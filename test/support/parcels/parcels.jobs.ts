import { declareJob } from '../../../core/kernel/job.ts'

export const weighJob = declareJob<{ id: string }>({
  type: 'weigh',
  permission: 'parcel:read',
  maxAttempts: 3,
  async run({ payload: { id } }, { step }) {
    await step(async (trx, recordProgress) => {
      await trx('parcels').where({ id }).update({ weighed_at: trx.fn.now() })
      recordProgress({ completed: 1 })
    })
    return { status: 'completed', result: { parcel: id } }
  },
})
