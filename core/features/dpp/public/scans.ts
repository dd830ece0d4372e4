import { createHmac } from 'node:crypto'
import type { Knex } from 'knex'
import { toIpNetwork } from '../../../kernel/request/ip-network.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { recordTallies } from '../../events/index.ts'
import { PassportRow, recordPassportEvents } from '../passports/index.ts'

/** The interval, in seconds, in which one address counts as at most one scan of a passport. */
const scanIntervalSeconds = 30
/** The interval, in seconds, in which the pages that one address opens of a passport are one scan of the metrics. */
const countedIntervalSeconds = 1_800

/**
 * Records that somebody outside the organization opened a passport's page or QR target: at most one event for each
 * passport and address (the /64 of an IPv6 address) in 30 s, and one more if the scanned numbers are not registered by
 * the maker. Of the events of 30 minutes one is counted. Of the address only a keyed hash is stored.
 * @param unknown whether the scanned numbers are not registered
 * @returns whether an event was written
 * @throws NOT_FOUND
 */
export async function recordScan(
  context: Pick<Context, 'db' | 'settings'>,
  passport: string,
  address: string,
  unknown = false,
): Promise<boolean> {
  const mark = hashScan(context, unknown ? `${passport} unknown` : passport, address)
  const countedMark = hashScan(context, `${passport} counted`, address)
  return context.db.transaction(async (trx) => {
    if (!(await isFirstIn(trx, mark, scanIntervalSeconds))) return false
    const row = await PassportRow.query(trx).modify('shown').findById(passport)
    if (!row) throw createNotFoundProblem()
    await recordPassportEvents(trx, 'scan', [row], { unknown })
    const { organization, application } = row
    if (await isFirstIn(trx, countedMark, countedIntervalSeconds))
      await recordTallies(trx, [{ organization, application, code: 'scans', number: 1 }])
    return true
  })
}

/** Remembers a mark from now on. @returns whether it was not remembered, or longer ago than these seconds */
async function isFirstIn(trx: Knex, mark: Buffer, seconds: number): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into passport_scans as known (mark) values (?)
     on conflict (mark) do update set at = now() where known.at <= now() - interval '${seconds} s'
       or known.at > now() + interval '${seconds} s'`,
    [mark],
  )
  return rowCount > 0
}

function hashScan(
  { settings: { sessionSecret } }: Pick<Context, 'settings'>,
  scanned: string,
  address: string,
): Buffer {
  if (sessionSecret === undefined) throw new Error('SESSION_SECRET is not set; scans need it')
  return createHmac('sha256', sessionSecret)
    .update(`scan ${scanned} ${toIpNetwork(address)}`)
    .digest()
    .subarray(0, 16)
}

/** Deletes the hashes of scans that are older than both intervals. The worker calls this at intervals. */
export async function forgetScans(db: Knex): Promise<void> {
  await db.raw(`delete from passport_scans where at < now() - interval '${countedIntervalSeconds} s'`)
}
