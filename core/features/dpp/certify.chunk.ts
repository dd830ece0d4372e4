import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { JobError } from '../../kernel/job.ts'
import type { Violation } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import {
  contentFaults, contentHash, issueCredentials, keptProtectedTerms, type CertifiedContent, type Issued, type Subject,
} from '../certification/index.ts'
import { certifiedContent } from './certified.ts'
import { unusable } from './networks.rules.ts'
import { recordEventsOf } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { SheetRow } from './sheets.model.ts'
import { carryStatus, revokedAmong } from './status.rows.ts'
import { nextUnits } from './units.ts'

export interface Certifying {
  job: string
  organization: string
  /** Certifies also what is certified as it is now. */
  anew: boolean
}

/** What a chunk did. What was `signed` is not certified before its root is anchored. */
export interface Signed {
  taken: number
  signed: number
  unchanged: number
  nothingToCertify: number
  skipped: number
  errors: JobError[]
}

/**
 * A unit with what is to be certified of it. `hosted`: the organization keeps the certificate, not we. `fault`: why it
 * cannot be certified.
 */
interface Due { fault: Violation | undefined; line: number; row: PassportRow; content: CertifiedContent; hash: string; version: number; hosted: boolean }

interface Version {
  passport: string
  version: number
  job: string
  content_hash: string
  hosted: boolean
  /** Whether it never counted, or does not any more. */
  lost: boolean
  settled: boolean
}

/**
 * Signs the next units of a job, at most `most`, in the caller's transaction, and stores what was signed. Left out is
 * what is no published or claimed passport, what has nothing to certify, and what is certified as it is now. A passport
 * that was archived on the way waits for nothing any more: it is as certified as it was, or not at all.
 */
export async function signChunk(trx: Knex, context: Context, certifying: Certifying, most: number): Promise<Signed> {
  const { job, organization } = certifying
  const units = await nextUnits(trx, job, 'certify', most)
  const rows = await lockedRows(trx, organization, units.map(({ passport }) => passport))
  const contentOf = await contentsOf(trx, rows.values())
  const [versions, revoked] = [await newestVersions(trx, [...rows.keys()]), await revokedAmong(trx, [...rows.keys()])]
  const refused = await keptProtectedTerms(trx)
  const { due, current, bare, ...counts } = sorted({ units, rows, contentOf, versions, revoked, refused }, context, certifying.anew)
  await keepCurrent(trx, current)
  await forgetCertificates(trx, bare)
  // What was certified and is not any more has changed for whoever follows it.
  await recordEventsOf(trx, 'update', bare.filter((id) => rows.get(id)?.certificationStatus === 'certified'))
  const good = due.filter(({ fault }) => !fault)
  const subjects = good.filter(({ hosted }) => !hosted).map(({ row, content }): Subject => ({ passport: row.id, content }))
  const issued = await issueCredentials(trx, context, organization, subjects)
  await carryStatus(trx, issued)
  await storeVersions(trx, certifying, good, new Map(issued.map((one) => [one.passport, one])))
  const errors = due.flatMap(({ line, fault }): JobError[] =>
    fault ? [{ line, path: fault.path, code: fault.code, message: fault.message }] : [])
  await markFailed(trx, job, due, errors)
  return { ...counts, taken: units.length, signed: good.length, errors }
}

interface Chunk {
  units: readonly { line: number; passport: string }[]
  rows: ReadonlyMap<string, PassportRow>
  contentOf: (row: PassportRow) => CertifiedContent | null
  versions: ReadonlyMap<string, Version>
  /** Passports whose credentials are revoked for good: a new version would bring back what was withdrawn. */
  revoked: ReadonlySet<string>
  /** Names that the kept context of UNTP protects. */
  refused: ReadonlySet<string>
}

const isRevoked: Violation = {
  path: 'status', code: 'revoked',
  message: 'The credentials of the passport are revoked for good; it cannot be certified again.',
}

/** What is to be done to each unit of a chunk. `bare` have nothing to certify, or nothing any more. */
function sorted({ units, rows, contentOf, versions, revoked, refused }: Chunk, context: Context, anew: boolean) {
  const found = {
    due: [] as Due[], current: [] as Version[], bare: [] as string[], unchanged: 0, nothingToCertify: 0, skipped: 0,
  }
  for (const { line, passport } of units) {
    const row = rows.get(passport)
    const isOpen = row?.status === 'published' || row?.status === 'claimed'
    if (!isOpen) found.skipped++
    if (!row || (!isOpen && row.certificationStatus !== 'pending')) continue
    const content = contentOf(row)
    const hash = content && contentHash(content)
    const newest = versions.get(passport)
    if (newest && hash !== null && !anew && isCurrent(row, newest, hash)) {
      found.current.push(newest)
      if (isOpen) found.unchanged++
    } else if (content && hash !== null && isOpen) {
      const fault = (revoked.has(passport) ? isRevoked : contentFaults(content, refused)[0])
        ?? (context.chains.usable(row.network) ? undefined : unusable(row.network))
      const version = (newest?.version ?? 0) + 1
      found.due.push({ fault, line, row, content, hash, version, hosted: row.certificateUri !== null })
    } else {
      found.bare.push(passport)
      if (isOpen) found.nothingToCertify++
    }
  }
  return found
}

/** In the order of ids, as every writer of many passports does. */
export async function lockedRows(trx: Knex, organization: string, ids: readonly string[]): Promise<Map<string, PassportRow>> {
  const rows = await PassportRow.query(trx).modify('ofOrganization', organization)
    .whereRaw('passports.id = any(?::uuid[])', [ids]).orderBy('passports.id').forUpdate()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * What is certified of each of these. Their sheets are kept from being changed until the transaction ends: who changes
 * one after that finds these passports certified, or about to be, and lets them be certified again.
 */
export async function contentsOf(
  trx: Knex, rows: Iterable<PassportRow>,
): Promise<(row: PassportRow) => CertifiedContent | null> {
  const ids = new Set([...rows].flatMap(({ sheet }) => sheet ?? []))
  const sheets = await SheetRow.query(trx).findByIds([...ids]).forKeyShare()
  const byId = new Map(sheets.map((sheet) => [sheet.id, sheet]))
  return (row) => certifiedContent(row, row.sheet === null ? null : byId.get(row.sheet) ?? null)
}

/** What is lost: its root, its job, or the key that it was signed with, unless that was safe until it was anchored. */
async function newestVersions(trx: Knex, passports: readonly string[]): Promise<Map<string, Version>> {
  const { rows } = await trx.raw<{ rows: Version[] }>(
    `select distinct on (c.passport) c.passport, c.version, c.job, c.content_hash, c.settled, c.key is null as hosted,
       coalesce(a.status = 'failed', false)
       or coalesce(k.status = 'revoked' and (a.anchored_at < k.compromised_at) is not true, false)
       or (not c.settled and not exists (select from jobs where jobs.id = c.job and jobs.status = 'pending')) as lost
     from passport_credentials c left join anchors a on a.id = c.anchor left join certification_keys k on k.id = c.key
     where c.passport = any(?::uuid[]) order by c.passport, c.version desc`, [passports as string[]])
  return new Map(rows.map((row) => [row.passport, row]))
}

/** Whether the newest version says what is so now, and is anchored or about to be. */
function isCurrent({ contentHash, certificateUri }: PassportRow, newest: Version, hash: string): boolean {
  // A certificate that came home, or left, is another one though it says the same.
  if (newest.lost || newest.content_hash !== hash || newest.hosted !== (certificateUri !== null)) return false
  return !newest.settled || contentHash === hash
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
