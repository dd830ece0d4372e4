import { declareMachine } from '../../../database/machine.ts'

export const orderStates = ['pending', 'settled', 'failed', 'reversed'] as const

/** Where an order of points stands. Its points count from the start; the chain follows. */
export const orderStatus = declareMachine({
  table: 'loyalty_orders',
  column: 'status',
  states: orderStates,
  moves: {
    create: { from: [], to: 'pending' },
    /** No chain gets the order, so there is nothing to wait for. */
    createSettled: { from: [], to: 'settled' },
    settle: { from: ['pending'], to: 'settled' },
    fail: { from: ['pending'], to: 'failed' },
    /** The chain dropped the block that had it. */
    undo: { from: ['settled'], to: 'pending' },
    /** All its points were taken back, by orders of their own that the chain gets too. */
    reverse: { from: ['pending', 'settled'], to: 'reversed' },
  },
})
