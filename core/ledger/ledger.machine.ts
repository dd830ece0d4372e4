import { declareMachine } from '../database/machine.ts'

/** Where a lot stands. Only what remains of an active one can be spent. */
export const lotState = declareMachine({
  table: 'ledger_lots',
  column: 'state',
  states: ['pending', 'active', 'expired'],
  moves: {
    create: { from: [], to: 'active' },
    createPending: { from: [], to: 'pending' },
    activate: { from: ['pending'], to: 'active' },
    expire: { from: ['active'], to: 'expired' },
    /** It got something back, which expires again. */
    giveBack: { from: ['active', 'expired'], to: 'active' },
  },
})

/** Where a hold stands. Only an open one keeps something from being spent. */
export const holdStatus = declareMachine({
  table: 'ledger_holds',
  column: 'status',
  states: ['open', 'committed', 'released'],
  moves: {
    create: { from: [], to: 'open' },
    commit: { from: ['open'], to: 'committed' },
    release: { from: ['open'], to: 'released' },
  },
})
