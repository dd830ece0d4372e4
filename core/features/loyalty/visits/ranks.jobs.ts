import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { declareJob } from '../../../kernel/job.ts'
import type { Context } from '../../../kernel/work.ts'
import { eachBatch } from '../../../queue/batches/each-batch.ts'
import { listAccountsBehind, listDueAccounts, type AccountPlace } from '../../accounts/index.ts'
import { beginReview, type TierReview } from '../tiers/index.ts'
import { rankAccounts } from './ranks.ts'

/** The number of accounts that one transaction ranks. */
const batchSize = 500

const firstPlace: AccountPlace = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
const getId = ({ id }: { id: string }) => id

/**
 * The job that finds the tiers of all accounts of an application again, after a tier or the window of visits has changed.
 * Until it comes to an account, lists show the tier that the account had.
 */
export const rankJob = declareJob<TierReview>({
  type: 'rank',
  permission: 'loyalty:read',
  retryPermission: 'loyalty:update',
  maxAttempts: 20,
  async run({ id, completed, state, payload: { application, reason } }, run) {
    await beginReview(run.context.db, application, id)
    const place = (state['place'] as AccountPlace | undefined) ?? firstPlace
    const { ranked } = await eachBatch<AccountPlace, { place: AccountPlace; ranked: number }>(run, {
      job: id,
      step: 'rank',
      state: { place, ranked: completed },
      take: (trx, { place: from }) => listAccountsBehind(trx, application, from, batchSize),
      async work(trx, accounts, { place: from, ranked: before }) {
        await rankAccounts(trx, accounts.map(getId), reason)
        const { length } = accounts
        hitFaultPoint('rank.storing', { job: id, step: 'rank' })
        return {
          state: { place: accounts.at(-1) ?? from, ranked: before + length },
          progress: { total: length, completed: length },
        }
      },
    })
    return { status: 'completed', result: { ranked } }
  },
})

/** Finds the tiers of the accounts again whose visits have left the window, chunk by chunk. */
export async function rankDueAccounts({ db }: Pick<Context, 'db'>): Promise<void> {
  for (let found = batchSize; found === batchSize;) {
    found = await db.transaction(async (trx) => {
      const accounts = await listDueAccounts(trx, batchSize)
      await rankAccounts(trx, accounts, 'window')
      return accounts.length
    })
  }
}
