import { declareMachine } from '../../../database/machine.ts'

export const pointOfSaleStates = ['active', 'inactive'] as const

/** Whether orders at a point of sale earn points. */
export const pointOfSaleStatus = declareMachine({
  table: 'points_of_sale',
  column: 'status',
  states: pointOfSaleStates,
  moves: {
    create: { from: [], to: 'active' },
    createInactive: { from: [], to: 'inactive' },
    activate: { from: ['inactive'], to: 'active' },
    deactivate: { from: ['active'], to: 'inactive' },
  },
})
