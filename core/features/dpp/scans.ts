import { createHmac } from 'node:crypto'
import type { Knex } from 'knex'
import { networkOf } from '../../kernel/network.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'

/** Within this many seconds an address scans a passport once. */
const quietSeconds = 30

/**
 * Records that somebody outside the organization opened a passport's page or QR target: one event an address (of
 * IPv6 its /64) and passport in 30 s, and one more where the numbers that were scanned are not registered by the maker.
 * Of the address only a keyed hash is kept. @returns whether an event was written
 */
export async function recordScan(
  context: Pick<Context, 'db' | 'settings'>,
  passport: string,
  address: string,
  unknown = false,
): Promise<boolean> {
  const mark = markOf(context, unknown ? `${passport} unknown` : passport, address)
  return context.db.transaction(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `insert into passport_scans as known (mark) values (?)
       on conflict (mark) do update set at = now() where known.at <= now() - interval '${quietSeconds} s'
         or known.at > now() + interval '${quietSeconds} s'`, [mark])
    if (rowCount === 0) return false
    const row = await PassportRow.query(trx).modify('shown').findById(passport)
    if (!row) throw notFound()
    await recordPassportEvents(trx, 'scan', [row], { unknown })
    return true
  })
}

function markOf({ settings: { sessionSecret } }: Pick<Context, 'settings'>, scanned: string, address: string): Buffer {
  if (sessionSecret === undefined) throw new Error('SESSION_SECRET is not set; scans need it')
  return createHmac('sha256', sessionSecret).update(`scan ${scanned} ${networkOf(address)}`).digest().subarray(0, 16)
}

/** Forgets who scanned when it does not matter any more. Called by the worker now and then. */
export async function forgetScans(db: Knex): Promise<void> {
  await db.raw(`delete from passport_scans where at < now() - interval '${quietSeconds} s'`)
}
