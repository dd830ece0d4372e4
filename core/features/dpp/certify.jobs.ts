import { job } from '../../kernel/job.ts'
import { certification, countsOf } from './certify.run.ts'
import { abandonCertificates } from './certify.settle.ts'

/** Certifies its units; see `certification`. */
export const certifyJob = job<Record<string, never>>({
  type: 'certify',
  permission: 'dpp:read',
  attempts: 20,
  run: (running, run) => certification(running, run, countsOf(running.state), (counts) => {
    const { certified, unchanged, nothingToCertify, skipped, failed } = counts
    return { status: 'completed', result: { certified, unchanged, nothingToCertify, skipped, failed } }
  }),
  abandon: (trx, { id, organization }) => abandonCertificates(trx, id, organization),
})
