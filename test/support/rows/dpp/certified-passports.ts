import type { Knex } from 'knex'
import type { PassportOwner } from './new-passports.ts'

/**
 * Inserts drafts of items whose whole data is to be certified, with this text four times in each: as requests they would
 * be hundreds of megabytes.
 */
export async function insertLargePassports(
  db: Knex,
  { organization, application }: PassportOwner,
  { count, text }: { count: number; text: string },
): Promise<void> {
  await db.raw(
    `insert into passports (id, organization, application, network, product, data, certified_paths)
     select gen_random_uuid(), :organization, :application, 'EthereumAnvil',
       jsonb_build_object('idGranularity', 'item', 'name', 'Bag', 'itemNumber', 'L-' || n),
       jsonb_build_object('a', story, 'b', story, 'c', story, 'd', story), array['a', 'b', 'c', 'd']
     from (select cast(:text as text) as story) t, generate_series(1, cast(:count as int)) n`,
    { organization, application, count, text },
  )
}

/** Chooses certified passports by chance, at most this many. @returns their ids */
export async function drawCertifiedPassports(db: Knex, count: number): Promise<string[]> {
  return db('passports')
    .where({ certification_status: 'certified' })
    .orderByRaw('random()')
    .limit(count)
    .pluck<string[]>('id')
}

/** What is stored of the certificates of a batch that one job made. */
export interface BatchRecords {
  /** How many versions of a certificate each passport has; none is named that has no certificate. */
  versions: ReadonlyMap<string, number>
  /** The roots of the job, and how many it has queued for a chain. */
  roots: string[]
  queued: number
  /** Passports that have other events than a creation, a publication and an update. */
  wrongEvents: number
}

/** Reads what is stored of the certificates of passports that were made, published and certified once, by this job. */
export async function readBatchRecords(
  db: Knex,
  { job, passports }: { job: string; passports: readonly string[] },
): Promise<BatchRecords> {
  const { rows: versions } = await db.raw<{ rows: { passport: string; count: number }[] }>(
    'select passport, count(*)::int as count from passport_credentials where passport = any(?::uuid[]) group by passport',
    [passports as string[]],
  )
  const [operations] = await db('chain_operations').where({ job, kind: 'anchor' }).count<{ count: string }[]>('*')
  const { rows } = await db.raw<{ rows: [{ wrong: number }] }>(
    `select count(*)::int as wrong from (
       select p.id from unnest(?::uuid[]) p (id) left join events e on (e.passport ->> 'id')::uuid = p.id
       group by p.id having array_agg(e.type order by e.id) is distinct from array['create', 'publish', 'update']) wrong`,
    [passports as string[]],
  )
  return {
    versions: new Map(versions.map(({ passport, count }) => [passport, count])),
    roots: await db('anchors').where({ job }).pluck<string[]>('root'),
    queued: Number(operations?.count),
    wrongEvents: rows[0].wrong,
  }
}

/** What the certificates of passports have of places in status lists: how many have none, and how many share one. */
export interface StatusPlaces {
  without: number
  shared: number
}

/** Counts the certificates of passports that have no place in a status list, or one that another has too. */
export async function countWrongStatusPlaces(db: Knex, passports: readonly string[]): Promise<StatusPlaces> {
  const { rows } = await db.raw<{ rows: [StatusPlaces] }>(
    `select count(*) filter (where status_pair is null)::int as without, (count(*) - count(distinct (status_pair, status_index)))::int as shared
     from passport_credentials where passport = any(?::uuid[])`,
    [passports as string[]],
  )
  return rows[0]
}

/** The forms of a certificate: the usual one, and the one with the cryptosuite eddsa-rdfc-2022 if it has it. */
export interface CertificateForms {
  ld: Buffer
  rdfc: Buffer | null
}

/** Lists the forms of the newest certificates, at most of this many. */
export async function listNewestForms(db: Knex, count: number): Promise<CertificateForms[]> {
  return db('passport_credentials').orderBy('created_at', 'desc').limit(count).select<CertificateForms[]>('ld', 'rdfc')
}

/** How often each number is there among the passports of a sheet. */
export interface SheetRecords {
  /** By the version of the sheet that they are of. */
  versions: Record<string, number>
  /** By the number of versions of their certificates. */
  credentials: Record<string, number>
  /** By the types of their events, the oldest first. */
  events: Record<string, number>
  uncertified: number
}

/** Counts the passports of a sheet by what its migrations have made of them. */
export async function readSheetRecords(db: Knex, sheet: string): Promise<SheetRecords> {
  const { rows } = await db.raw<{ rows: [SheetRecords] }>(
    `with mine as (select id, sheet_version, certification_status from passports where sheet = ?),
     event_lists as (select mine.id, string_agg(e.type, ' ' order by e.id) as types from mine join events e on (e.passport ->> 'id')::uuid = mine.id group by 1),
     signed as (select mine.id, count(*) from mine join passport_credentials c on c.passport = mine.id group by 1)
     select (select json_object_agg(version, n) from (select coalesce(sheet_version, 1) as version, count(*) as n from mine group by 1) v) as versions,
       (select json_object_agg(count, n) from (select count, count(*) as n from signed group by 1) c) as credentials,
       (select json_object_agg(types, n) from (select types, count(*) as n from event_lists group by 1) e) as events,
       (select count(*)::int from mine where certification_status <> 'certified') as uncertified`,
    [sheet],
  )
  return rows[0]
}
