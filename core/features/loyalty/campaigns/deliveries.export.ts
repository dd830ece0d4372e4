import { Readable } from 'node:stream'
import type { Context } from '../../../kernel/work.ts'
import { createAccountJoinSql } from '../../accounts/index.ts'
import type { CampaignModel } from './campaigns.model.ts'

/** The most deliveries of an export. */
export const maxExportedDeliveries = 50_000
/** The number of rows that are read at a time. */
const batchSize = 2_500

const header = 'account_id,external_customer_id,channel,status,exclusion_reason,error_code,sent_at\r\n'

/**
 * A row as a line of the file, made by the database: identifiers, words of ours and instants need no quotes; the
 * identifier of a customer and the word of a wallet are others' texts. A cell that a spreadsheet would take for a formula
 * gets an apostrophe. Source: RFC 4180; OWASP, CSV Injection.
 */
const createCellSql = (value: string): string =>
  `case when ${value} is null then '' when ${value} !~ '[",\\r\\n]|^[=+@\\t-]' then ${value} else
     '"' || replace(case when ${value} ~ '^[=+@\\t\\r-]' then '''' || ${value} else ${value} end, '"', '""') || '"' end`

const lineSql = `d.account || ',' || ${createCellSql('a.customer_id')} || ',' || d.channel || ',' || d.status || ','
  || coalesce(d.reason, '') || ',' || ${createCellSql('d.error_code')} || ','
  || coalesce(to_char(d.sent_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')`

/**
 * Streams the first deliveries of a campaign as CSV, a line for each customer and wallet, in the order in which the customers
 * came to the application. @returns the file, and whether the campaign has more deliveries than that
 */
export async function exportDeliveries(
  { db }: Pick<Context, 'db'>,
  { id, pending, sent, failed, excludedCap, excludedOptOut }: CampaignModel,
): Promise<{ body: Readable; isTruncated: boolean }> {
  const total = pending + sent + failed + excludedCap + excludedOptOut
  async function* formatLines() {
    yield header
    let after = ['00000000-0000-0000-0000-000000000000', '']
    for (let left = maxExportedDeliveries; left > 0;) {
      const limit = Math.min(left, batchSize)
      const { rows } = await db.raw<{
        rows: [{ lines: string | null; count: number; account: string; channel: string }]
      }>(
        `select string_agg(line, e'\\r\\n' order by account, channel) || e'\\r\\n' as lines, count(*)::int as count,
           (array_agg(account order by account desc, channel desc))[1] as account,
           (array_agg(channel order by account desc, channel desc))[1] as channel
         from (select d.account, d.channel, ${lineSql} as line from campaign_deliveries d
                 left ${createAccountJoinSql('d.account')}
               where d.campaign = ? and (d.account, d.channel) > (?::uuid, ?) order by d.account, d.channel limit ?) part`,
        [id, ...after, limit],
      )
      const [{ lines, count, account, channel }] = rows
      if (lines !== null) yield lines
      if (count < limit) return
      left -= count
      after = [account, channel]
    }
  }
  return { body: Readable.from(formatLines(), { objectMode: false }), isTruncated: total > maxExportedDeliveries }
}
