import { actions } from '../../kernel/permission.ts'
import { resetFutureLeases, startMeterSweeps } from '../../meters/index.ts'
import { startRepetition } from '../../queue/upkeep/repeat.ts'
import { area } from '../area.ts'
import { quotaOperations } from './quotas.operations.ts'

/** What organizations may use, what they have used, and the plans that say so. */
export const organization = area({
  name: 'organization',
  permissions: { billing: { owner: actions, admin: actions, editor: [] } },
  operations: quotaOperations,
  tags: {
    Quotas: 'What an organization has used in a month, and what its plan allows.',
    Billing: 'The plans of the platform.',
  },
  services: [(context) => startMeterSweeps(context, startRepetition)],
  clockRepairs: [{ name: 'leases of units', run: ({ db }) => resetFutureLeases(db) }],
})

declare module '../../kernel/words.ts' {
  interface Resources {
    billing: true
  }
}
