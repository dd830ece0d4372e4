import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { JobError } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import {
  contentFaults, contentHash, issueCredentials, type CertifiedContent, type Issued, type Subject,
} from '../certification/index.ts'
import { certifiedContent } from './certified.ts'
import { PassportRow } from './passports.model.ts'
import { SheetRow } from './sheets.model.ts'
import { nextUnits, type Unit } from './units.ts'

export interface Certifying { job: string; organization: string }

/** What a chunk did. What was `signed` is not certified before its root is anchored. */
export interface Signed {
  taken: number
  signed: number
  unchanged: number
  nothingToCertify: number
  skipped: number
  errors: JobError[]
}

/** A unit with what is to be certified of it. `hosted`: the organization keeps the certificate, not we. */
interface Due { line: number; row: PassportRow; content: CertifiedContent; hash: string; version: number; hosted: boolean }

interface Version { passport: string; version: number; job: string; content_hash: string; lost: boolean; settled: boolean }

/**
 * Signs the next units of a job, at most `most`, in the caller's transaction, and stores what was signed. Left out is
 * what is no published or claimed passport, what has nothing to certify, and what is certified as it is now.
 */
export async function signChunk(trx: Knex, context: Context, certifying: Certifying, most: number): Promise<Signed> {
  const { job, organization } = certifying
  const units = await nextUnits(trx, job, 'certify', most)
  const rows = await lockedRows(trx, organization, units)
  const sheets = new Map((await SheetRow.query(trx).findByIds([...new Set([...rows.values()].flatMap(({ sheet }) => sheet ?? []))]))
    .map((sheet) => [sheet.id, sheet]))
  const versions = await newestVersions(trx, [...rows.keys()])
  const signed: Signed = { taken: units.length, signed: 0, unchanged: 0, nothingToCertify: 0, skipped: 0, errors: [] }
  const due: Due[] = []
  const current: Version[] = []
  const bare: string[] = []
  for (const { line, passport } of units) {
    const row = rows.get(passport)
    const content = row && certifiedContent(row, row.sheet === null ? null : sheets.get(row.sheet) ?? null)
    const newest = versions.get(passport)
    if (!row) signed.skipped++
    else if (!content) bare.push(passport)
    else {
      const hash = contentHash(content)
      if (newest && isCurrent(row, newest, hash)) current.push(newest)
      else due.push({ line, row, content, hash, version: (newest?.version ?? 0) + 1, hosted: row.certificateUri !== null })
    }
  }
  await keepCurrent(trx, current)
  await forgetCertificates(trx, bare)
  const faults = due.map(({ content }) => contentFaults(content)[0])
  const good = due.filter((_, at) => !faults[at])
  const subjects = good.filter(({ hosted }) => !hosted).map(({ row, content }): Subject => ({ passport: row.id, content }))
  const issued = await issueCredentials(trx, context, organization, subjects)
  await storeVersions(trx, certifying, good, new Map(issued.map((one) => [one.passport, one])))
  const errors = due.flatMap(({ line }, at): JobError[] => {
    const fault = faults[at]
    return fault ? [{ line, path: fault.path, code: fault.code, message: fault.message }] : []
  })
  await markFailed(trx, job, due, errors)
  return { ...signed, signed: good.length, unchanged: current.length, nothingToCertify: bare.length, errors }
}

/** In the order of ids, as every writer of many passports does. */
async function lockedRows(trx: Knex, organization: string, units: readonly Unit[]): Promise<Map<string, PassportRow>> {
  const rows = await PassportRow.query(trx).modify('ofOrganization', organization)
    .whereRaw('passports.id = any(?::uuid[])', [units.map(({ passport }) => passport)])
    .whereIn('passports.status', ['published', 'claimed']).orderBy('passports.id').forUpdate()
  return new Map(rows.map((row) => [row.id, row]))
}

async function newestVersions(trx: Knex, passports: readonly string[]): Promise<Map<string, Version>> {
  const { rows } = await trx.raw<{ rows: Version[] }>(
    `select distinct on (c.passport) c.passport, c.version, c.job, c.content_hash, c.settled,
       coalesce(a.status = 'failed', false) or (not c.settled and not exists (
         select from jobs where jobs.id = c.job and jobs.status = 'pending')) as lost
     from passport_credentials c left join anchors a on a.id = c.anchor
     where c.passport = any(?::uuid[]) order by c.passport, c.version desc`, [passports as string[]])
  return new Map(rows.map((row) => [row.passport, row]))
}

/** Whether the newest version says what is so now, and is anchored or about to be. */
function isCurrent({ contentHash, certificateUri, ipfsCid }: PassportRow, newest: Version, hash: string): boolean {
  if (newest.lost || newest.content_hash !== hash) return false
  // A certificate that came home, or left, is another one though it says the same.
  return !newest.settled || (contentHash === hash && (ipfsCid === null) === (certificateUri !== null))
}

/** A change that was taken back before it was certified: the version that is there, or on its way, counts again. */
async function keepCurrent(trx: Knex, versions: readonly Version[]): Promise<void> {
  if (versions.length === 0) return
  await trx.raw(
    `update passports set certification_status = case when newest.settled then 'certified' else 'pending' end,
       certify_job_status = case when newest.settled then 'completed' else 'pending' end,
       certify_job = case when newest.settled then passports.certify_job else newest.job end,
       certify_job_error = null, updated_at = now()
     from unnest(?::uuid[], ?::uuid[], ?::boolean[]) as newest (passport, job, settled)
     where passports.id = newest.passport and (certification_status <> 'certified' or not newest.settled)`,
    [versions.map(({ passport }) => passport), versions.map(({ job }) => job), versions.map(({ settled }) => settled)] as Knex.RawBinding[])
}

/** Passports that nothing is left to certify of are not certified any more. */
export async function forgetCertificates(trx: Knex, passports: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports set certification_status = 'none', certified_at = null, content_hash = null, ipfs_cid = null,
       credential = null, certify_job_status = case when certify_job_status = 'pending' then 'completed' else certify_job_status end,
       updated_at = now()
     where id = any(?::uuid[]) and certification_status <> 'none'`, [passports as string[]])
}

async function storeVersions(
  trx: Knex, { job, organization }: Certifying, due: readonly Due[], issued: ReadonlyMap<string, Issued>,
): Promise<void> {
  if (due.length === 0) return
  const now = new Date()
  const of = <T>(read: (one: Issued) => T) => due.map(({ row }) => { const one = issued.get(row.id); return one ? read(one) : null })
  await trx.raw(
    `insert into passport_credentials (id, passport, organization, version, job, line, network, content_hash, key, valid_from,
       status_pair, status_index, ld, jwt, cid)
     select id, passport, ?, version, ?, line, network, hash, key, valid_from, pair, place, ld, jwt, cid
     from unnest(?::uuid[], ?::uuid[], ?::int[], ?::int[], ?::text[], ?::text[], ?::uuid[], ?::timestamptz[], ?::uuid[],
       ?::int[], ?::bytea[], ?::bytea[], ?::text[])
       as row (id, passport, version, line, network, hash, key, valid_from, pair, place, ld, jwt, cid)`,
    [
      organization, job, due.map(() => newId()), due.map(({ row }) => row.id), due.map(({ version }) => version),
      due.map(({ line }) => line), due.map(({ row }) => row.network), due.map(({ hash }) => hash), of(({ key }) => key),
      due.map(({ row }) => issued.get(row.id)?.validFrom ?? now), of(({ statusPair }) => statusPair),
      of(({ statusIndex }) => statusIndex), of(({ ld }) => ld), of(({ jwt }) => jwt), of(({ cid }) => cid),
    ] as Knex.RawBinding[])
  await trx.raw(
    `update passports set certification_status = 'pending', certify_job = ?, certify_job_status = 'pending',
       certify_job_error = null, updated_at = now()
     where id = any(?::uuid[]) and (certify_job is distinct from ? or certification_status <> 'pending')`,
    [job, due.map(({ row }) => row.id), job])
}

async function markFailed(trx: Knex, job: string, due: readonly Due[], errors: readonly JobError[]): Promise<void> {
  if (errors.length === 0) return
  const byLine = new Map(due.map(({ line, row }) => [line, row.id]))
  await trx.raw(
    `update passports set certification_status = 'error', certify_job = ?, certify_job_status = 'failed',
       certify_job_error = failed.message, updated_at = now()
     from unnest(?::uuid[], ?::text[]) as failed (id, message) where passports.id = failed.id`,
    [job, errors.map(({ line }) => byLine.get(line) ?? null), errors.map(({ message }) => message)] as Knex.RawBinding[])
}
