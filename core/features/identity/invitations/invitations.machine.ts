import { declareMachine } from '../../../database/machine.ts'

/** The states as the sign-in library names them in its own model of the table. */
export const invitationStates = ['pending', 'accepted', 'rejected', 'canceled'] as const

/** What became of an invitation. One that nobody answered stays pending after its end. */
export const invitationStatus = declareMachine({
  table: 'invitations',
  column: 'status',
  states: invitationStates,
  moves: {
    create: { from: [], to: 'pending' },
    accept: { from: ['pending'], to: 'accepted' },
    decline: { from: ['pending'], to: 'rejected' },
    withdraw: { from: ['pending'], to: 'canceled' },
  },
})
