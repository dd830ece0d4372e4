import { declareMachine } from '../../../../database/machine.ts'

/** What became of an order that a restaurant reported. */
export const posOrderStatus = declareMachine({
  table: 'pos_orders',
  column: 'status',
  states: ['received', 'awaiting', 'earned', 'skipped'] as const,
  moves: {
    receive: { from: [], to: 'received' },
    /** Nobody has an account yet who is its customer. */
    wait: { from: ['received', 'awaiting'], to: 'awaiting' },
    earn: { from: ['received', 'awaiting'], to: 'earned' },
    skip: { from: ['received', 'awaiting'], to: 'skipped' },
  },
})
