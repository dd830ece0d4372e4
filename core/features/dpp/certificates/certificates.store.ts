import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import { maxSamples } from '../../../kernel/dry-run.ts'
import type { KeyUse, KeyUseReader } from '../../area.ts'
import type { IssuedCredential } from '../../certification/index.ts'
import { queryPassports } from '../passports/index.ts'
import { namePassports } from '../selection/index.ts'

/**
 * A version of a certificate to insert. The glossary explains its states, under "certificate". `issued` is null if the
 * organization hosts the certificate itself.
 */
interface NewCertificate {
  passport: string
  version: number
  line: number
  network: string
  contentHash: string
  issued: IssuedCredential | null
}

/** Counts the versions of a passport's certificate. */
export async function countCertificates(trx: Knex, passport: string): Promise<number> {
  const [row] = await trx('passport_credentials').where({ passport }).count<{ count: number }[]>('* as count')
  return row?.count ?? 0
}

/**
 * Reads what a key has signed, and what of it verification refuses in two states of the key. Source:
 * `core/features/certification/verify`: of a revoked key, what was anchored before it was compromised stays valid. The
 * credentials are found by the organization's passports, because no index has the key.
 */
export const readKeyUse: KeyUseReader = async (trx, { organization, id: key }, { before, after }) => {
  const fails = (name: string) =>
    `(:${name}Revoked::boolean and (a.anchored_at < :${name}Since::timestamptz) is not true)`
  const {
    rows: [row],
  } = await trx.raw<{ rows: (Omit<KeyUse, 'samples'> & { ids: string[] })[] }>(
    `with signed as materialized (
       select c.passport, ${fails('before')} as failed, ${fails('after')} as fails
       from passport_credentials c left join anchors a on a.id = c.anchor
       where c.passport in (:passports) and c.key = :key
     ), concerned as (select distinct passport from signed where fails and not failed)
     select count(*) as credentials, count(*) filter (where failed) as "alreadyFailing",
       count(*) filter (where fails) as failing, (select count(*) from concerned) as passports,
       array(select passport from concerned order by passport limit ${maxSamples}) as ids
     from signed`,
    {
      passports: queryPassports(trx, organization).select('passports.id').toKnexQuery(),
      key,
      beforeRevoked: before !== null,
      beforeSince: before?.since ?? null,
      afterRevoked: after !== null,
      afterSince: after?.since ?? null,
    },
  )
  if (!row) throw new Error('a count had no row')
  const { ids, ...counts } = row
  return { ...counts, samples: await namePassports(trx, ids) }
}

/** Counts the versions that were made, by organization, from one instant, inclusive, to another, exclusive. */
export async function countVersions(
  db: Knex,
  from: Date,
  to: Date,
): Promise<{ organization: string; units: number }[]> {
  const { rows } = await db.raw<{ rows: { organization: string; units: number }[] }>(
    `select organization, count(*) as units from passport_credentials
     where created_at >= ? and created_at < ? group by organization`,
    [from, to],
  )
  return rows
}

/** Inserts the certificates that a job has made. */
export async function insertCertificates(
  trx: Knex,
  { job, organization }: { job: string; organization: string },
  certificates: readonly NewCertificate[],
): Promise<void> {
  const now = new Date()
  const mapIssued = <T>(read: (one: IssuedCredential) => T) =>
    certificates.map(({ issued }) => (issued ? read(issued) : null))
  await trx.raw(
    `insert into passport_credentials (id, passport, organization, version, job, line, network, content_hash, key, valid_from,
       status_pair, status_index, ld, jwt, cid)
     select id, passport, ?, version, ?, line, network, content_hash, key, valid_from, pair, place, ld, jwt, cid
     from unnest(?::uuid[], ?::uuid[], ?::int[], ?::int[], ?::text[], ?::text[], ?::uuid[], ?::timestamptz[], ?::uuid[],
       ?::int[], ?::bytea[], ?::bytea[], ?::text[])
       as row (id, passport, version, line, network, content_hash, key, valid_from, pair, place, ld, jwt, cid)`,
    [
      organization,
      job,
      certificates.map(() => newId()),
      certificates.map(({ passport }) => passport),
      certificates.map(({ version }) => version),
      certificates.map(({ line }) => line),
      certificates.map(({ network }) => network),
      certificates.map(({ contentHash }) => contentHash),
      mapIssued(({ key }) => key),
      certificates.map(({ issued }) => issued?.validFrom ?? now),
      mapIssued(({ statusPair }) => statusPair),
      mapIssued(({ statusIndex }) => statusIndex),
      mapIssued(({ ld }) => ld),
      mapIssued(({ jwt }) => jwt),
      mapIssued(({ cid }) => cid),
    ] as Knex.RawBinding[],
  )
}

/** Replaces certificates of a job with what was signed again. Their third form has to be made again. */
export async function replaceCertificates(trx: Knex, job: string, issued: readonly IssuedCredential[]): Promise<void> {
  await trx.raw(
    `update passport_credentials c set key = again.key, valid_from = again.valid_from, content_hash = again.content_hash,
       status_pair = again.pair, status_index = again.place, ld = again.ld, jwt = again.jwt, cid = again.cid, rdfc = null
     from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::text[], ?::uuid[], ?::int[], ?::bytea[], ?::bytea[], ?::text[])
       as again (passport, key, valid_from, content_hash, pair, place, ld, jwt, cid)
     where c.job = ? and c.passport = again.passport`,
    [
      issued.map(({ passport }) => passport),
      issued.map(({ key }) => key),
      issued.map(({ validFrom }) => validFrom),
      issued.map(({ contentHash }) => contentHash),
      issued.map(({ statusPair }) => statusPair),
      issued.map(({ statusIndex }) => statusIndex),
      issued.map(({ ld }) => ld),
      issued.map(({ jwt }) => jwt),
      issued.map(({ cid }) => cid),
      job,
    ] as Knex.RawBinding[],
  )
}

/** Deletes certificates that were never anchored. */
export async function deleteCertificates(trx: Knex, ids: readonly string[]): Promise<void> {
  await trx.raw('delete from passport_credentials where id = any(?::uuid[])', [ids as string[]])
}

/** Stores the third form of certificates, except of those that were signed again meanwhile. */
export async function storeRdfForms(
  trx: Knex,
  forms: readonly { id: string; key: string; rdfc: Buffer }[],
): Promise<void> {
  await trx.raw(
    `update passport_credentials c set rdfc = made.rdfc from unnest(?::uuid[], ?::uuid[], ?::bytea[]) as made (id, key, rdfc)
     where c.id = made.id and c.key = made.key`,
    [forms.map(({ id }) => id), forms.map(({ key }) => key), forms.map(({ rdfc }) => rdfc)] as Knex.RawBinding[],
  )
}

/** Puts certificates under a root, each with its proof. */
export async function assignAnchor(
  trx: Knex,
  anchor: string,
  leaves: readonly { id: string; proof: Buffer | undefined }[],
): Promise<void> {
  await trx.raw(
    `update passport_credentials set anchor = ?, proof = leaf.proof from unnest(?::uuid[], ?::bytea[]) as leaf (id, proof)
       where passport_credentials.id = leaf.id`,
    [anchor, leaves.map(({ id }) => id), leaves.map(({ proof }) => proof)] as Knex.RawBinding[],
  )
}

/** Marks certificates below a root as settled: their passports know its outcome. */
export async function settleCertificates(trx: Knex, anchor: string, passports: readonly string[]): Promise<void> {
  await trx.raw('update passport_credentials set settled = true where anchor = ? and passport = any(?::uuid[])', [
    anchor,
    passports as string[],
  ])
}

/** Marks certificates as pinned on IPFS. */
export async function markPinned(trx: Knex, ids: readonly string[]): Promise<void> {
  await trx.raw('update passport_credentials set pinned_at = now() where id = any(?::uuid[])', [ids as string[]])
}

/**
 * The SQL of the versions of a passport's certificate: `id`, `at`, `version`, `network`, `content_hash`, and whether the
 * organization hosts the certificate itself (`hosted`). Its binding is the passport.
 */
export const passportVersionsSql = `
  select c.id, c.created_at as at, c.version, c.network, c.content_hash, c.key is null as hosted
  from passport_credentials c where c.passport = ?`

/**
 * The SQL of the anchors that prove versions of a passport's certificate on a chain: `id`, `at`, `version`, `network`,
 * `transaction_hash`. Blocks have their time in whole seconds, so an anchor is never shown before the version that it
 * proves. Its binding is the passport.
 */
export const passportAnchorsSql = `
  select a.id, greatest(a.anchored_at, c.created_at) as at, c.version, a.network, a.transaction_hash
  from passport_credentials c join anchors a on a.id = c.anchor and a.status = 'final' where c.passport = ?`
