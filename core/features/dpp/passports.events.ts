import type { Knex } from 'knex'
import { recordEvents, type NewEvent } from '../events/index.ts'
import { PassportRow } from './passports.model.ts'
import { presentInEvents } from './passports.present.ts'

type PassportEvent = 'create' | 'update' | 'delete' | 'publish' | 'claim' | 'scan' | 'transfer'

/** Records what happened to passports, each as the public sees it now (a draft: its id), in the change's transaction. The rows have to be `shown`. */
export async function recordPassportEvents(
  trx: Knex,
  type: PassportEvent,
  rows: readonly PassportRow[],
  more: Pick<NewEvent, 'unknown'> = {},
): Promise<void> {
  await recordEvents(
    trx,
    rows.map((row) => ({
      organization: row.organization,
      application: row.application,
      subject: 'dppPassport' as const,
      type,
      passport: presentInEvents(row),
      ...more,
    })),
  )
}

/** The same for passports that this transaction has just changed: each is read as it is now. @returns their rows, `shown` */
export async function recordEventsOf(trx: Knex, type: PassportEvent, ids: readonly string[]): Promise<PassportRow[]> {
  if (ids.length === 0) return []
  const rows = await PassportRow.query(trx).modify('shown').whereRaw('passports.id = any(?::uuid[])', [ids as string[]])
  await recordPassportEvents(trx, type, rows)
  return rows
}
