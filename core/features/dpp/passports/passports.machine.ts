import { declareMachine } from '../../../database/machine.ts'
import { jobStatuses } from '../../../kernel/job.ts'
import { certificationStatuses, passportStatuses } from './passports.schema.ts'

/** The life of a passport. What is archived stays archived. */
export const passportStatus = declareMachine({
  table: 'passports',
  column: 'status',
  states: passportStatuses,
  moves: {
    create: { from: [], to: 'draft' },
    /** A passport of a batch that is minted is published from the start. */
    createPublished: { from: [], to: 'published' },
    publish: { from: ['draft'], to: 'published' },
    claim: { from: ['published'], to: 'claimed' },
    archive: { from: ['draft', 'published', 'claimed'], to: 'archived' },
  },
})

/** Whether the credential of a passport is signed and anchored. */
export const certificationStatus = declareMachine({
  table: 'passports',
  column: 'certification_status',
  states: certificationStatuses,
  moves: {
    create: { from: [], to: 'none' },
    /** A job is going to certify the passport, for the first time or again. */
    queue: { from: ['none', 'pending', 'certified', 'error'], to: 'pending' },
    /** The newest certificate is anchored. A passport that lost its certificate meanwhile does not get it back. */
    certify: { from: ['pending', 'certified', 'error'], to: 'certified' },
    /** A change was undone, so that a certificate which is anchored counts again. */
    restore: { from: ['none', 'pending', 'error'], to: 'certified' },
    /** The passport has nothing to certify any more. */
    clear: { from: ['pending', 'certified', 'error'], to: 'none' },
    /** The passport could not be certified. */
    fail: { from: ['none', 'pending', 'certified', 'error'], to: 'error' },
    /** A job that failed did not reach the passport, so that nobody knows whether its certificate is still true. */
    abandon: { from: ['certified'], to: 'error' },
  },
})

/** Where a passport stands in the last job of one kind. */
const declareUnitStatus = (column: string) =>
  declareMachine({
    table: 'passports',
    column,
    states: jobStatuses,
    moves: {
      queue: { from: jobStatuses, to: 'pending' },
      complete: { from: jobStatuses, to: 'completed' },
      fail: { from: jobStatuses, to: 'failed' },
    },
  })

export const certifyJobStatus = declareUnitStatus('certify_job_status')
export const structureJobStatus = declareUnitStatus('structure_job_status')
