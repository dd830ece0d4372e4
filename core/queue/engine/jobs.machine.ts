import { declareMachine } from '../../database/machine.ts'
import { jobStatuses } from '../../kernel/job.ts'

/** The life of a job. A job that has ended does not change, but an operator can have a failed one tried again. */
export const jobStatus = declareMachine({
  table: 'jobs',
  column: 'status',
  states: jobStatuses,
  moves: {
    create: { from: [], to: 'pending' },
    /** A part of a job that has ended by the time it is stored. */
    createCompleted: { from: [], to: 'completed' },
    createFailed: { from: [], to: 'failed' },
    complete: { from: ['pending'], to: 'completed' },
    fail: { from: ['pending'], to: 'failed' },
    retry: { from: ['failed'], to: 'pending' },
  },
})
