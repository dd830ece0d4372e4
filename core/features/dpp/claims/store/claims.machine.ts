import { declareMachine } from '../../../../database/machine.ts'

export const claimStatuses = ['pending', 'completed', 'failed'] as const

/** The life of a claim. A claim that has ended does not change. */
export const claimStatus = declareMachine({
  table: 'claims',
  column: 'status',
  states: claimStatuses,
  moves: {
    create: { from: [], to: 'pending' },
    complete: { from: ['pending'], to: 'completed' },
    fail: { from: ['pending'], to: 'failed' },
  },
})
