interface Party {
  id: string
  name: string | null
  domain: string | null
}

/** A GTIN as the operator sees it. */
export interface GtinView {
  gtin: string
  organization: Party
  since: string
  confirmedAt: string | null
  contests: { organization: Party; reason: string | null; at: string }[]
}

/** The maximum number of GTINs in one listing. */
const maxListed = 100

const createPartySql = (id: string) => `json_build_object('id', ${id},
  'name', (select name from organizations where organizations.id = ${id}),
  'domain', (select domain from application_domains d where d.organization = ${id} and d.status = 'proven'
    order by proven_at, d.id limit 1))`

/**
 * Creates the SQL that lists GTINs for the operator: contested GTINs first, the longest waiting before the others, then
 * the newest. It returns SQL because a command that only reads needs nothing of the platform but its database.
 * @param gtin the placeholder of the GTIN in the statement; a null value lists all GTINs
 */
export const createGtinListingSql = (gtin: string) =>
  `select g.gtin, ${createPartySql('g.organization')} as organization, g.since, g.confirmed_at as "confirmedAt",
     coalesce(open.contests, '[]') as contests
   from gtin_owners g left join lateral (
     select json_agg(json_build_object('organization', ${createPartySql('c.organization')}, 'reason', c.reason, 'at', c.created_at)
       order by c.created_at, c.id) as contests, min(c.created_at) as first
     from gtin_contests c where c.gtin = g.gtin and c.decided_at is null
   ) as open on true
   where ${gtin}::text is null or g.gtin = ${gtin}
   order by open.first nulls last, g.since desc, g.gtin limit ${maxListed}`
