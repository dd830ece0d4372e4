import { declareMachine } from '../../../database/machine.ts'

export const keyStatuses = ['active', 'pending', 'rotated', 'revoked'] as const

/** The life of a certification key. An organization has one active key and at most one pending key. */
export const keyStatus = declareMachine({
  table: 'certification_keys',
  column: 'status',
  states: keyStatuses,
  moves: {
    createActive: { from: [], to: 'active' },
    /** The key waits for its document, or for its registration on a network. */
    createPending: { from: [], to: 'pending' },
    activate: { from: ['pending'], to: 'active' },
    rotate: { from: ['active'], to: 'rotated' },
    revoke: { from: ['pending', 'active', 'rotated'], to: 'revoked' },
  },
})
