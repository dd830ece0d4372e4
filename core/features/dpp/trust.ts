import type { Knex } from 'knex'
import { recordEventsOf } from './passports.events.ts'

/**
 * Enrols published models for tracking, each once: those of applications with the feature trust whose product has a web
 * page. That is the first http(s) address among `product.relatedDocument` that is a page or says not what it is, else
 * the home page of the application. Records the event, in the caller's transaction. @returns the ids that were enrolled
 */
export async function enrol(trx: Knex, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `with mine as materialized (
       select id, application, product from passports
       where id = any(?::uuid[]) and status = 'published' and trust_enrolled_at is null
         and (product ->> 'idGranularity') = 'model' order by id for update
     ), paged as (
       select mine.id, coalesce(page.url, applications.website_url) as url
       from mine join applications on applications.id = mine.application and 'trust' = any(applications.features)
       left join lateral (
         select link ->> 'linkURL' as url
         from jsonb_array_elements(mine.product -> 'relatedDocument') with ordinality as document (link, place)
         where link ->> 'linkURL' ~* '^(http|https)://' and coalesce(link ->> 'mediaType', 'text/html') ~* '^text/html\\M'
         order by place limit 1
       ) page on true
     )
     update passports set trust_enrolled_at = now(), trust_url = paged.url, updated_at = now()
     from paged where passports.id = paged.id and paged.url is not null returning passports.id`, [ids as string[]])
  const enrolled = rows.map(({ id }) => id).sort()
  await recordEventsOf(trx, 'update', enrolled)
  return enrolled
}
