import type { Knex } from 'knex'
import { invalid, notFound } from '../../../kernel/problem.ts'
import { uuidText } from '../../../kernel/uuid.ts'
import { recordAudit } from '../../audit/index.ts'
import { parseGtin } from './parse.ts'

interface Party { id: string; name: string | null; domain: string | null }

/** A GTIN as the operator sees it. */
export interface GtinView {
  gtin: string
  organization: Party
  since: string
  confirmedAt: string | null
  contests: { organization: Party; reason: string | null; at: string }[]
}

/** GTINs that one look shows. */
const maxListed = 100

const party = (id: string) => `json_build_object('id', ${id},
  'name', (select name from organizations where organizations.id = ${id}),
  'domain', (select domain from application_domains d where d.organization = ${id} and d.status = 'proven'
    order by proven_at, d.id limit 1))`

/** Lists GTINs for the operator: those that are contested first, the longest waiting before all; then the newest. */
export async function listGtins(db: Knex, digits?: string): Promise<GtinView[]> {
  const { rows } = await db.raw<{ rows: GtinView[] }>(
    `select g.gtin, ${party('g.organization')} as organization, g.since, g.confirmed_at as "confirmedAt",
       coalesce(open.contests, '[]') as contests
     from gtin_owners g left join lateral (
       select json_agg(json_build_object('organization', ${party('c.organization')}, 'reason', c.reason, 'at', c.created_at)
         order by c.created_at, c.id) as contests, min(c.created_at) as first
       from gtin_contests c where c.gtin = g.gtin and c.decided_at is null
     ) as open on true
     where :gtin::text is null or g.gtin = :gtin
     order by open.first nulls last, g.since desc, g.gtin limit ${maxListed}`,
    { gtin: digits === undefined ? null : parseGtin(digits) })
  return rows
}

/**
 * Gives a GTIN to an organization and confirms that it is theirs; what was contested about it is decided by that, and
 * the audit trail says who decided. @throws VALIDATION_FAILED for no GTIN and no identifier, NOT_FOUND
 */
export async function assignGtin(
  db: Knex, { gtin: digits, organization: id, actor }: { gtin: string; organization: string; actor: string },
): Promise<GtinView> {
  const gtin = parseGtin(digits)
  if (!uuidText.test(id)) throw invalid([{ path: 'organization', code: 'format', message: 'must be a UUID' }])
  const organization = id.toLowerCase()
  await db.transaction(async (trx) => {
    if (!await trx('organizations').where({ id: organization }).first('id')) throw notFound()
    const former = await trx('gtin_owners').where({ gtin }).forUpdate()
      .first<{ organization: string; confirmed_at: Date | null } | undefined>('organization', 'confirmed_at')
    await trx.raw(
      `insert into gtin_owners as kept (gtin, organization, confirmed_at) values (:gtin, :organization, now())
       on conflict (gtin) do update set organization = excluded.organization, confirmed_at = now(),
         since = case when kept.organization = excluded.organization then kept.since else now() end`, { gtin, organization })
    const decided = await trx('gtin_contests').where({ gtin }).whereNull('decided_at').update({ decided_at: trx.fn.now() })
    await recordAudit(trx, {
      actor, action: 'gtin.assign', subject: gtin,
      details: { organization, former: former?.organization ?? null, confirmedBefore: former?.confirmed_at ?? null, contests: decided },
    })
  })
  const [view] = await listGtins(db, gtin)
  if (!view) throw new Error(`The GTIN ${gtin} was not kept`)
  return view
}
