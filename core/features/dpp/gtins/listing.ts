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

/**
 * Lists GTINs for the operator: those that are contested first, the longest waiting before all; then the newest. It is SQL,
 * as a command that only reads needs nothing of the platform but its database.
 * @param gtin how the statement names the one that is asked for; null there: all
 */
export const gtinListing = (gtin: string) =>
  `select g.gtin, ${party('g.organization')} as organization, g.since, g.confirmed_at as "confirmedAt",
     coalesce(open.contests, '[]') as contests
   from gtin_owners g left join lateral (
     select json_agg(json_build_object('organization', ${party('c.organization')}, 'reason', c.reason, 'at', c.created_at)
       order by c.created_at, c.id) as contests, min(c.created_at) as first
     from gtin_contests c where c.gtin = g.gtin and c.decided_at is null
   ) as open on true
   where ${gtin}::text is null or g.gtin = ${gtin}
   order by open.first nulls last, g.since desc, g.gtin limit ${maxListed}`
