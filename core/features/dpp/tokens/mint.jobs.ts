import { declareJob } from '../../../kernel/job.ts'
import { jobIntervalSeconds } from '../content/index.ts'

/**
 * The job of a batch mint. It waits for the sender, whose outcomes settle the rows of the batch (`claims/settle.ts`)
 * and wake the job with the last row.
 */
export const mintJob = declareJob<{ network: string }>({
  type: 'mint',
  permission: 'dpp:read',
  retryPermission: 'dpp:create',
  maxAttempts: 20,
  async run({ total, completed, failed }) {
    if (completed + failed < total) return { status: 'waiting', delaySeconds: jobIntervalSeconds }
    if (completed === 0)
      return { status: 'failed', code: 'MINT_FAILED', message: 'No row of the batch could be minted.' }
    return { status: 'completed', result: { minted: completed } }
  },
})
