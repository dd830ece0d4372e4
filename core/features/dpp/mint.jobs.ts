import { job } from '../../kernel/job.ts'

/** Seconds between two looks at a job that something else will wake. */
export const patience = 30

/** Waits for the sender, which settles the rows of a batch (`settle.ts`) and wakes the job with the last one. */
export const mintJob = job<{ network: string }>({
  type: 'mint',
  permission: 'dpp:read',
  attempts: 20,
  async run({ total, completed, failed }) {
    if (completed + failed < total) return { status: 'waiting', seconds: patience }
    if (completed === 0)
      return { status: 'failed', code: 'MINT_FAILED', message: 'No row of the batch could be minted.' }
    return { status: 'completed', result: { minted: completed } }
  },
})
