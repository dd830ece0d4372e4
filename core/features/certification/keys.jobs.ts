import { job } from '../../kernel/job.ts'
import type { KeyJobPayload } from './keys.records.ts'
import type { RegistrationRow } from './keys.rows.ts'

/** Seconds between two looks at a job that something else will wake. */
const patience = 30

/** Waits for the sender, which settles what becomes of a key on a network (`keys.settle.ts`) and wakes the job. */
export const rotateJob = job<KeyJobPayload>({
  type: 'rotate',
  permission: 'dpp:read',
  attempts: 20,
  async run({ total, completed, failed, payload }, { context }) {
    if (completed + failed < total) return { status: 'waiting', seconds: patience }
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
