import { job } from '../../kernel/job.ts'
import { certification, countsOf } from './certify.run.ts'
import { abandonCertificates, abandonChanged } from './certify.settle.ts'

/**
 * `anew`: certifies also what is certified as it is, as what changed is no part of the content. `changed`: something that
 * many passports certify has changed; they are not marked before the job comes to them.
 */
export interface CertifyPayload { anew?: true; changed?: true }

/** Certifies its units; see `certification`. */
export const certifyJob = job<CertifyPayload>({
  type: 'certify',
  permission: 'dpp:read',
  attempts: 20,
  run: (running, run) => certification(running, run, countsOf(running.state), (counts) => {
    const { certified, unchanged, nothingToCertify, left, failed } = counts
    return { status: 'completed', result: { certified, unchanged, nothingToCertify, skipped: left, failed } }
  }, running.payload.anew),
  async abandon(trx, { id, organization, payload }) {
    await abandonCertificates(trx, id, organization)
    if (payload.changed) await abandonChanged(trx, id)
  },
})
