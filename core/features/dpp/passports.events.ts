import type { Knex } from 'knex'
import { recordEvents } from '../events/index.ts'
import type { PassportRow } from './passports.model.ts'
import { presentPassport } from './passports.present.ts'

type PassportEvent = 'create' | 'update' | 'delete' | 'publish' | 'claim' | 'scan' | 'transfer'

/** Records what happened to passports, each as it is now, in the change's transaction. The rows have to be `shown`. */
export async function recordPassportEvents(
  trx: Knex,
  type: PassportEvent,
  rows: readonly PassportRow[],
): Promise<void> {
  await recordEvents(
    trx,
    rows.map((row) => ({
      organization: row.organization,
      application: row.application,
      subject: 'dppPassport' as const,
      type,
      passport: presentPassport(row),
    })),
  )
}
