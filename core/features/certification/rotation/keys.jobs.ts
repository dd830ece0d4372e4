import { declareJob } from '../../../kernel/job.ts'
import type { KeyJobPayload } from './keys.records.ts'
import type { RegistrationRow } from '../keys/index.ts'

/** Interval in seconds after which a waiting job runs again, if nothing wakes it earlier. */
const recheckDelaySeconds = 30

/** The job of a change of a key. It waits for the sender, whose outcome `keys.settle.ts` records; then it is woken. */
export const rotateJob = declareJob<KeyJobPayload>({
  type: 'rotate',
  permission: 'dpp:read',
  retryPermission: 'dpp:update',
  maxAttempts: 20,
  async run({ total, completed, failed, payload }, { context }) {
    if (completed + failed < total) return { status: 'waiting', delaySeconds: recheckDelaySeconds }
    const { act, key, network } = payload
    if (completed === 0) {
      return {
        status: 'failed',
        code: 'ROTATE_FAILED',
        message: `The change of the key was not recorded on ${network}.`,
      }
    }
    const row = await context.db<RegistrationRow>('certification_key_registrations').where({ key, network }).first()
    const transactionHash = (act === 'revokeKey' ? row?.revocation_hash : row?.transaction_hash) ?? null
    return { status: 'completed', result: { act, key, network, transactionHash } }
  },
})
