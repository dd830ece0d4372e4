import { declareMachine } from '../../../database/machine.ts'

export const campaignStates = ['draft', 'scheduled', 'sending', 'sent', 'finished'] as const
export type CampaignState = (typeof campaignStates)[number]

/** Where a campaign is. What was sent cannot be taken back. */
export const campaignStatus = declareMachine({
  table: 'campaigns',
  column: 'status',
  states: campaignStates,
  moves: {
    create: { from: [], to: 'draft' },
    schedule: { from: ['draft'], to: 'scheduled' },
    cancel: { from: ['scheduled'], to: 'draft' },
    send: { from: ['draft', 'scheduled'], to: 'sending' },
    /** Nobody is in the audience. */
    sendToNobody: { from: ['draft', 'sending'], to: 'finished' },
    deliver: { from: ['sending'], to: 'sent' },
    finish: { from: ['sending', 'sent'], to: 'finished' },
  },
})

const deliveryStates = ['pending', 'pushed', 'fetched', 'failed', 'excluded'] as const

/** What became of the message for one card. */
export const deliveryStatus = declareMachine({
  table: 'campaign_deliveries',
  column: 'status',
  states: deliveryStates,
  moves: {
    create: { from: [], to: 'pending' },
    push: { from: ['pending'], to: 'pushed' },
    /** The phone asked for the card before the outcome of the push was written down. */
    pushFetched: { from: ['pending'], to: 'fetched' },
    /** The phone asked for the card after it was pushed. */
    fetch: { from: ['pushed'], to: 'fetched' },
    fail: { from: ['pending'], to: 'failed' },
    exclude: { from: ['pending'], to: 'excluded' },
  },
})
