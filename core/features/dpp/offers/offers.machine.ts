import { declareMachine } from '../../../database/machine.ts'

export const offerStatuses = ['open', 'accepted', 'completed', 'failed', 'declined', 'withdrawn', 'expired'] as const
export type OfferStatus = (typeof offerStatuses)[number]

/** The life of an offer of a passport. An offer that has ended does not change; its owner may make another one. */
export const offerStatus = declareMachine({
  table: 'passport_offers',
  column: 'status',
  states: offerStatuses,
  moves: {
    create: { from: [], to: 'open' },
    accept: { from: ['open'], to: 'accepted' },
    decline: { from: ['open'], to: 'declined' },
    withdraw: { from: ['open'], to: 'withdrawn' },
    expire: { from: ['open'], to: 'expired' },
    complete: { from: ['accepted'], to: 'completed' },
    fail: { from: ['accepted'], to: 'failed' },
  },
})
