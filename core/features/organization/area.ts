import { actions } from '../../kernel/permission.ts'
import { resetFutureLeases, startMeterSweeps } from '../../meters/index.ts'
import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { startRepetition } from '../../queue/upkeep/repeat.ts'
import { area } from '../area.ts'
import { billingOperations } from './billing/billing.operations.ts'
import { tellOverage } from './billing/overage.ts'
import { applyDuePlans } from './billing/stripe/subscriptions.ts'
import { readCountedAccounts } from './counted-accounts.ts'
import { startQuotaNotices } from './quota-notices.ts'
import { quotaOperations } from './quotas.operations.ts'

/** What organizations may use, what they have used, the plans that say so, and how they pay. */
export const organization = area({
  name: 'organization',
  permissions: { billing: { owner: actions, admin: actions, editor: [] } },
  operations: [...quotaOperations, ...billingOperations],
  tags: {
    Quotas: 'What an organization has used in a month, and what its plan allows.',
    Billing: 'The plans of the platform, and the page where an organization looks after its own.',
  },
  services: [(context) => startMeterSweeps(context, startRepetition), startQuotaNotices],
  usedUnits: readCountedAccounts,
  retentions: () => ({
    billing_portal_links: { days: 1, rows: 'r.expires_at < :before' },
    billing_customers: retentionReasons.organization,
    billing_events: 'An event is taken once, for ever.',
    billing_overages: 'What a provider was told is never told again.',
    quota_notices: { days: 400, rows: 'r.at < :before' },
  }),
  // What was used is told by the old limits, before smaller ones hold.
  upkeep: [
    { name: 'units past limits', run: tellOverage },
    { name: 'smaller plans that hold from this month', run: applyDuePlans },
  ],
  clockRepairs: [{ name: 'leases of units', run: ({ db }) => resetFutureLeases(db) }],
})

declare module '../../kernel/words.ts' {
  interface AuditActions {
    'plan.set': true
    'quota.reach': true
  }
  interface Resources {
    billing: true
  }
}
