import { newId } from '../../../database/model.ts'
import type { Work } from '../../../kernel/work.ts'
import { readPublicPassport, recordPassportEvents } from '../passports/index.ts'
import { countReport, hashOrigin } from './reports.limits.ts'
import type { NewPassportReport } from './reports.schema.ts'

/**
 * Stores what somebody reports about a passport that everybody may read, for its organization, with an event. Who
 * reports is not asked, and the answer depends on nothing that is not public: a draft is not there, also for its own
 * organization, and the e-mail address is neither looked up nor written to. The same report from the same address is
 * stored once while it waits, so whoever got no answer can send it again.
 * @param address where the report comes from
 * @throws NOT_FOUND
 * @throws RATE_LIMITED
 */
export async function reportPassport(
  { context, trx }: Work,
  id: string,
  { kind, ...report }: NewPassportReport,
  address: string,
): Promise<void> {
  const [text, email] = [report.text.trim(), report.email?.toLowerCase() ?? null]
  const row = await readPublicPassport(trx, id)
  await countReport(trx, context, row, address)
  const { organization, application } = row
  const stored = await trx('passport_reports')
    .insert({
      id: newId(),
      organization,
      application,
      passport: row.id,
      kind,
      text,
      email,
      mark: hashOrigin(context, address, row.id, kind, text, email ?? ''),
    })
    .onConflict('mark')
    .ignore()
    .returning('id')
  if (stored.length > 0) await recordPassportEvents(trx, 'update', [row])
}
