import { declareMachine } from '../../../database/machine.ts'

export const assignmentStates = ['pending', 'consumed'] as const

/** Whether somebody got an assignment. What an account got does not change. */
export const assignmentStatus = declareMachine({
  table: 'account_assignments',
  column: 'status',
  states: assignmentStates,
  moves: {
    create: { from: [], to: 'pending' },
    consume: { from: ['pending'], to: 'consumed' },
  },
})
