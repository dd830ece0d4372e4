import type { Knex } from 'knex'
import { buildIndexConcurrently } from '../migrations.ts'

/**
 * Indexes of lists with the oldest row first. Where the newest came first every new row went to the first page of the
 * index, which splits in the middle: half of each page stayed empty for ever. At its end a page is left full; the newest
 * rows are read backwards just as quickly. The token of a passport is found by its 32 bytes instead of their text. Two
 * indexes go that nothing needs: failed jobs are among those that have ended, and domains are looked for while active.
 */
export const transaction = false

const ofPassports: Readonly<Record<string, string>> = {
  created: '(organization, created_at, id)',
  updated: '(organization, updated_at, id)',
  status: '(organization, status, created_at, id)',
  source: '(organization, source, created_at, id)',
  application: '(application, created_at, id)',
  sheet: '(sheet, created_at, id) where sheet is not null',
  claim_email: '(organization, lower(allowed_claim_email), created_at, id) where allowed_claim_email is not null',
  structure_job: '(organization, structure_job_status, created_at, id) where structure_job_status is not null',
  certify_job: '(organization, certify_job_status, created_at, id) where certify_job_status is not null',
  granularity: `(organization, (product ->> 'idGranularity'), created_at, id) where product is not null`,
  model_number: `(organization, (product ->> 'modelNumber'), created_at, id) where (product ->> 'modelNumber') is not null`,
  batch_number: `(organization, (product ->> 'batchNumber'), created_at, id) where (product ->> 'batchNumber') is not null`,
  item_number: `(organization, (product ->> 'itemNumber'), created_at, id) where (product ->> 'itemNumber') is not null`,
}
const ofEvents: Readonly<Record<string, string>> = {
  created: '(organization, created_at, id)',
  kind: '(organization, subject, type, created_at, id)',
  application: '(application, created_at, id)',
  passport: '(passport_id, created_at, id) where passport_id is not null',
}

export async function up(knex: Knex): Promise<void> {
  for (const [by, definition] of Object.entries(ofPassports)) {
    await build(knex, `passports_by_${by}`, `on passports ${definition}`)
    await knex.raw(`drop index concurrently if exists passports_${by}`)
  }
  await build(knex, 'passports_by_token', `on passports (decode(substr(token_id, 3), 'hex'))`, true)
  await knex.raw('drop index concurrently if exists passports_token_id')
  for (const [by, definition] of Object.entries(ofEvents)) {
    await buildOfParts(knex, `by_${by}`, definition)
    await knex.raw(`drop index if exists events_${by}`)
  }
  await knex.raw('drop index concurrently if exists jobs_failed')
  await knex.raw('drop index concurrently if exists did_web_domains_domain')
  // Room on a page is of use to changes that touch no index; every change of a passport is in that of its updates.
  await knex.raw('alter table passports reset (fillfactor)')
}

/** What an earlier attempt has built stays. */
async function build(knex: Knex, name: string, definition: string, unique = false): Promise<void> {
  const { rowCount } = await knex.raw<{ rowCount: number }>('select from pg_index where indexrelid = to_regclass(?) and indisvalid', [name])
  if (rowCount === 0) await buildIndexConcurrently(knex, name, definition, unique)
}

/** An index of all months: built for one after the other, valid once the last has it. Months made meanwhile get theirs by themselves. */
async function buildOfParts(knex: Knex, suffix: string, definition: string): Promise<void> {
  const whole = `events_${suffix}`
  await knex.raw(`create index if not exists ${whole} on only events ${definition}`)
  for (;;) {
    const { rows: [part] } = await knex.raw<{ rows: { name: string }[] }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'events'::regclass and not exists (
         select from pg_inherits o join pg_index x on x.indexrelid = o.inhrelid
         where o.inhparent = to_regclass(?) and x.indrelid = c.oid)
       order by 1 limit 1`, [whole])
    if (!part) return
    await build(knex, `${part.name}_${suffix}`, `on ${part.name} ${definition}`)
    await knex.raw(`alter index ${whole} attach partition ${part.name}_${suffix}`)
  }
}

export async function down(knex: Knex): Promise<void> {
  const newestFirst = (definition: string) => definition.replace(/(created_at|updated_at), id\)/, '$1 desc, id desc)')
  await knex.raw('alter table passports set (fillfactor = 85)')
  await knex.raw('create index did_web_domains_domain on did_web_domains (domain)')
  await knex.raw(`create index jobs_failed on jobs (updated_at) where status = 'failed'`)
  await knex.raw('create unique index passports_token_id on passports (token_id); drop index passports_by_token')
  for (const [table, indexes] of [['events', ofEvents], ['passports', ofPassports]] as const) {
    for (const [by, definition] of Object.entries(indexes)) {
      await knex.raw(`create index ${table}_${by} on ${table} ${newestFirst(definition)}; drop index ${table}_by_${by}`)
    }
  }
}
