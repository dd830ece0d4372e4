import { declareJob } from '../../../kernel/job.ts'
import { releaseUnits } from '../../../meters/index.ts'
import { runCertification, parseCounts } from './certify.run.ts'
import { abandonChangedCertification, abandonPendingCertification } from '../passports/index.ts'

/**
 * The payload of a certify job. `anew`: passports that are certified with their present content are certified again
 * too, because what changed is no part of the content. `changed`: something that many passports certify has changed;
 * each passport is marked only when the job reaches it.
 */
export interface CertifyPayload {
  anew?: true
  changed?: true
}

/** The job that certifies its units; see `runCertification`. */
export const certifyJob = declareJob<CertifyPayload>({
  type: 'certify',
  permission: 'dpp:read',
  retryPermission: 'dpp:update',
  maxAttempts: 20,
  run: (running, run) =>
    runCertification(
      running,
      run,
      parseCounts(running.state),
      (counts) => {
        const { certified, unchanged, nothingToCertify, left, failed } = counts
        return { status: 'completed', result: { certified, unchanged, nothingToCertify, skipped: left, failed } }
      },
      running.payload.anew,
    ),
  async handleFailure(trx, { id, organization, payload }) {
    await releaseUnits(trx, id)
    await abandonPendingCertification(trx, id, organization)
    if (payload.changed) await abandonChangedCertification(trx, id)
  },
})
