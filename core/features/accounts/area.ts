import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { eraseAccounts } from './accounts.erase.ts'
import { hasAccounts } from './accounts.ts'

/** The accounts of buyers in applications, each with a wallet. */
export const accounts = area({
  name: 'accounts',
  events: { wallet: ['create', 'update', 'delete'] },
  applicationBlockers: [async (trx, application) => () => hasAccounts(trx, application)],
  organizationErasures: [eraseAccounts],
  retentions: () => ({ accounts: retentionReasons.person }),
})

declare module '../../kernel/words.ts' {
  interface EventSubjects {
    wallet: 'create' | 'update' | 'delete'
  }
}
