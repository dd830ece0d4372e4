import type { Knex } from 'knex'
import { certificationStatus, certifyJobStatus, passportStatus } from '../passports.machine.ts'

/**
 * Publishes drafts and, in the same update, queues for certification by the job those that certify anything, because
 * each update of a passport costs the same again.
 */
export async function publishPassports(
  trx: Knex,
  job: string,
  drafts: readonly string[],
  skipCertification: boolean,
): Promise<void> {
  const certify = `certified_paths <> '{}' or (
    select sheets.certified_paths <> '[]' from sheets where sheets.id = passports.sheet)`
  await trx.raw(
    `update passports set ${passportStatus.set('publish')}, updated_at = now(),
       ${certificationStatus.setWhen('due.certify', 'queue')},
       certify_job = case when due.certify then ?::uuid else passports.certify_job end,
       ${certifyJobStatus.setWhen('due.certify', 'queue')}
     from (select id, not ?::boolean and coalesce(${certify}, false) as certify from passports where id = any(?::uuid[])) as due
     where passports.id = due.id`,
    [job, skipCertification, drafts as string[]],
  )
}

/**
 * Enrols published models for tracking, each once. It enrols models of applications with the feature `trust` whose
 * product has a web page: the first http(s) address in `product.relatedDocument` with the media type of a page or
 * without one, otherwise the home page of the application.
 * @returns the ids of the enrolled models
 */
export async function enrolPassports(trx: Knex, ids: readonly string[]): Promise<string[]> {
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
     from paged where passports.id = paged.id and paged.url is not null returning passports.id`,
    [ids as string[]],
  )
  return rows.map(({ id }) => id).sort()
}
