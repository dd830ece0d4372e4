import { declareMachine } from '../../../database/machine.ts'

export const requestStatuses = ['waiting', 'approved', 'declined'] as const
export type RequestStatus = (typeof requestStatuses)[number]

/** The life of a request for a passport. What was decided stays so; the person may ask again. */
export const requestStatus = declareMachine({
  table: 'claim_requests',
  column: 'status',
  states: requestStatuses,
  moves: {
    create: { from: [], to: 'waiting' },
    approve: { from: ['waiting'], to: 'approved' },
    decline: { from: ['waiting'], to: 'declined' },
  },
})
