import type { Knex } from 'knex'
import { recordEvents, recordTallies, type NewEvent, type TallyCode } from '../../events/index.ts'
import { PassportRow } from './passports.model.ts'
import { presentPassport } from './passports.present.ts'

type PassportEvent = 'create' | 'update' | 'delete' | 'publish' | 'claim' | 'scan' | 'transfer'

/**
 * Records one event for each passport, in the transaction of the change. An event has the passport as the public sees
 * it now; a draft has only its id.
 * @param rows have to be `shown`
 */
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
      passport: presentPassport(row, 'event'),
      ...more,
    })),
  )
}

/**
 * Records one event for each of the passports that this transaction has just changed, after reading them again.
 * @returns the rows of the passports, `shown`
 */
export async function recordEventsByIds(
  trx: Knex,
  type: PassportEvent,
  ids: readonly string[],
): Promise<PassportRow[]> {
  if (ids.length === 0) return []
  const rows = await PassportRow.query(trx)
    .modify('shown')
    .whereRaw('passports.id = any(?::uuid[])', [ids as string[]])
  await recordPassportEvents(trx, type, rows)
  return rows
}

/** Counts what happened to passports and has no event of its own, in the transaction in which it does. */
export async function recordPassportTallies(trx: Knex, code: TallyCode, passports: readonly string[]): Promise<void> {
  if (passports.length === 0) return
  const { rows } = await trx.raw<{ rows: { organization: string; application: string; number: number }[] }>(
    `select organization, application, count(*)::int as number from passports where id = any(?::uuid[])
     group by organization, application order by application`,
    [passports as string[]],
  )
  await recordTallies(
    trx,
    rows.map((row) => ({ ...row, code })),
  )
}
