import type { Knex } from 'knex'
import { createValidationProblem, createNotFoundProblem } from '../../../kernel/problem.ts'
import { uuidPattern } from '../../../kernel/text/uuid.ts'
import { recordAudit } from '../../audit/index.ts'
import { createGtinListingSql, type GtinView } from './listing.ts'
import { parseGtin } from './parse.ts'

/**
 * Assigns a GTIN to an organization and confirms the ownership. This decides all open contests of the GTIN, and the
 * audit trail records who decided.
 * @throws VALIDATION_FAILED for an invalid GTIN or an organization that is no UUID
 * @throws NOT_FOUND for an organization that does not exist
 */
export async function assignGtin(
  db: Knex,
  { gtin: digits, organization: id, actor }: { gtin: string; organization: string; actor: string },
): Promise<GtinView> {
  const gtin = parseGtin(digits)
  if (!uuidPattern.test(id))
    throw createValidationProblem([{ path: 'organization', code: 'format', message: 'must be a UUID' }])
  const organization = id.toLowerCase()
  await db.transaction(async (trx) => {
    if (!(await trx('organizations').where({ id: organization }).first('id'))) throw createNotFoundProblem()
    const former = await trx('gtin_owners')
      .where({ gtin })
      .forUpdate()
      .first<{ organization: string; confirmed_at: Date | null } | undefined>('organization', 'confirmed_at')
    await trx.raw(
      `insert into gtin_owners as kept (gtin, organization, confirmed_at) values (:gtin, :organization, now())
       on conflict (gtin) do update set organization = excluded.organization, confirmed_at = now(),
         since = case when kept.organization = excluded.organization then kept.since else now() end`,
      { gtin, organization },
    )
    const decided = await trx('gtin_contests')
      .where({ gtin })
      .whereNull('decided_at')
      .update({ decided_at: trx.fn.now() })
    await recordAudit(trx, {
      actor,
      action: 'gtin.assign',
      subject: gtin,
      details: {
        organization,
        former: former?.organization ?? null,
        confirmedBefore: former?.confirmed_at ?? null,
        contests: decided,
      },
    })
  })
  const {
    rows: [view],
  } = await db.raw<{ rows: GtinView[] }>(createGtinListingSql(':gtin'), { gtin })
  if (!view) throw new Error(`The GTIN ${gtin} was not kept`)
  return view
}
