import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { IssuedCredential } from '../../certification/index.ts'

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
