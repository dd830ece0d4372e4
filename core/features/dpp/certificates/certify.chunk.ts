import type { Knex } from 'knex'
import type { JobError } from '../../../kernel/job.ts'
import type { Issue } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import type { JobItem } from '../../../queue/batches/items.ts'
import {
  validateCertifiedContent,
  hashContent,
  issueCredentials,
  readProtectedTerms,
  type CertifiedContent,
  type IssuedCredential,
  type CertificationSubject,
} from '../../certification/index.ts'
import { createUnusableNetworkIssue, getCertifiedContent } from '../content/index.ts'
import {
  awaitCertification,
  clearCertification,
  failCertification,
  PassportRow,
  recordEventsByIds,
  recordPassportTallies,
  restoreCertification,
} from '../passports/index.ts'
import { SheetRow } from '../sheets/index.ts'
import { copyStatusToVersions, findRevokedPassports } from '../statuses/index.ts'
import { insertCertificates } from './certificates.store.ts'

export interface CertificationTask {
  job: string
  organization: string
  /** Whether passports that are certified with their present content are certified again too. */
  renewAll: boolean
}

/** The result of one batch. A `signed` passport is not certified before its root is anchored. */
export interface SignedBatch {
  signed: number
  unchanged: number
  nothingToCertify: number
  skipped: number
  errors: JobError[]
}

/**
 * A unit with the content that is to be certified. `hosted`: the organization hosts the certificate itself. `issue`:
 * why the passport cannot be certified.
 */
interface DueCredential {
  issue: Issue | undefined
  line: number
  row: PassportRow
  content: CertifiedContent
  contentHash: string
  version: number
  hosted: boolean
}

interface VersionRow {
  passport: string
  version: number
  job: string
  contentHash: string
  hosted: boolean
  /** Whether the version never counted, or does not count any more. */
  lost: boolean
  settled: boolean
}

/**
 * Signs units of a job in the caller's transaction, and stores what was signed. It skips passports that are neither published nor claimed, those with nothing to certify, and those that are certified with
 * their present content. A passport that was archived meanwhile does not stay pending: it keeps the certificate that it
 * had, or has none.
 */
export async function signUnits(
  trx: Knex,
  context: Context,
  certifying: CertificationTask,
  units: readonly JobItem[],
): Promise<SignedBatch> {
  const { job, organization } = certifying
  const rows = await readPassportRows(
    trx,
    organization,
    units.map(({ subject }) => subject),
    true,
  )
  const getContent = await readContents(trx, rows.values())
  const {
    due: wanted,
    current,
    uncertifiable,
    ...counts
  } = await classifyUnits(trx, context, { units, rows, getContent }, certifying.renewAll)
  const due = await limitToQuota(trx, context, certifying, wanted)
  await restoreCertification(trx, current)
  await clearCertification(trx, uncertifiable)
  // A passport that has lost its certificate has changed for everyone who follows its events.
  await recordEventsByIds(
    trx,
    'update',
    uncertifiable.filter((id) => rows.get(id)?.certificationStatus === 'certified'),
  )
  const good = due.filter(({ issue }) => !issue)
  const subjects = good
    .filter(({ hosted }) => !hosted)
    .map(({ row, content }): CertificationSubject => ({ passport: row.id, content }))
  const issued = await issueCredentials(trx, context, organization, subjects)
  await copyStatusToVersions(trx, issued)
  await insertVersions(trx, certifying, good, new Map(issued.map((one) => [one.passport, one])))
  const errors = due.flatMap(({ line, issue }): JobError[] =>
    issue ? [{ line, path: issue.path, code: issue.code, message: issue.message }] : [],
  )
  await markFailed(trx, job, due, errors)
  return { ...counts, signed: good.length, errors }
}

const quotaIssue: Issue = {
  path: 'certifiedPaths',
  code: 'QUOTA_EXCEEDED',
  message: 'The plan of the organization allows no more operations this month.',
}

/** Takes a unit for each certificate to sign, and gives those for which none is left an issue. */
async function limitToQuota(
  trx: Knex,
  { meters }: Context,
  { job, organization }: CertificationTask,
  due: readonly DueCredential[],
): Promise<DueCredential[]> {
  const units = due.filter(({ issue }) => !issue).length
  let left = await meters.takeHeld(trx, job, { organization, meter: 'dpp.operations', units })
  return due.map((one) => (one.issue || left-- > 0 ? one : { ...one, issue: quotaIssue }))
}

/** The units of a batch, with their passports and what each of them certifies. */
export interface CertificationUnits {
  units: readonly JobItem[]
  rows: ReadonlyMap<string, PassportRow>
  getContent: (row: PassportRow) => CertifiedContent | null
}

interface BatchInput extends CertificationUnits {
  versions: ReadonlyMap<string, VersionRow>
  /** Passports whose credentials are revoked for good. A new version would bring back what was withdrawn. */
  revoked: ReadonlySet<string>
  /** Names that the stored JSON-LD context of UNTP protects. */
  protectedTerms: ReadonlySet<string>
}

const revokedIssue: Issue = {
  path: 'status',
  code: 'revoked',
  message: 'The credentials of the passport are revoked for good; it cannot be certified again.',
}

/**
 * Reads what decides about the units of a batch, and decides. It changes and locks nothing.
 * @param renewAll whether passports that are certified with their present content are certified again too
 */
export async function classifyUnits(trx: Knex, context: Context, batch: CertificationUnits, renewAll: boolean) {
  const passports = [...batch.rows.keys()]
  const versions = await readNewestVersions(trx, passports)
  const revoked = await findRevokedPassports(trx, passports)
  const protectedTerms = await readProtectedTerms(trx)
  return sortUnits({ ...batch, versions, revoked, protectedTerms }, context, renewAll)
}

/**
 * Decides what has to be done with each unit of a batch. `uncertifiable` passports have nothing to certify, or nothing
 * any more.
 */
function sortUnits(input: BatchInput, context: Context, anew: boolean) {
  const { units, rows, getContent, versions } = input
  const sortedUnits = {
    due: [] as DueCredential[],
    current: [] as VersionRow[],
    uncertifiable: [] as string[],
    unchanged: 0,
    nothingToCertify: 0,
    skipped: 0,
  }
  for (const { line, subject: passport } of units) {
    const row = rows.get(passport)
    const isOpen = row?.status === 'published' || row?.status === 'claimed'
    if (!isOpen) sortedUnits.skipped++
    if (!row || (!isOpen && row.certificationStatus !== 'pending')) continue
    const content = getContent(row)
    const contentHash = content && hashContent(content)
    const newest = versions.get(passport)
    if (newest && contentHash !== null && !anew && isCurrent(row, newest, contentHash)) {
      sortedUnits.current.push(newest)
      if (isOpen) sortedUnits.unchanged++
    } else if (content && contentHash !== null && isOpen) {
      sortedUnits.due.push(createDueCredential({ line, row, content, contentHash }, input, context))
    } else {
      sortedUnits.uncertifiable.push(passport)
      if (isOpen) sortedUnits.nothingToCertify++
    }
  }
  return sortedUnits
}

/** Creates the next version of a passport's certificate, or states why there can be none. */
function createDueCredential(
  unit: Pick<DueCredential, 'line' | 'row' | 'content' | 'contentHash'>,
  { versions, revoked, protectedTerms }: BatchInput,
  context: Context,
): DueCredential {
  const { id, network, certificateUri } = unit.row
  const issue =
    (revoked.has(id) ? revokedIssue : validateCertifiedContent(unit.content, protectedTerms)[0])
    ?? (context.chains.canSend(network) ? undefined : createUnusableNetworkIssue(network))
  const version = (versions.get(id)?.version ?? 0) + 1
  return { ...unit, issue, version, hosted: certificateUri !== null }
}

/** Reads passports in the order of their ids, in which every writer of many passports locks them. */
export async function readPassportRows(
  trx: Knex,
  organization: string,
  ids: readonly string[],
  isLocked: boolean,
): Promise<Map<string, PassportRow>> {
  const query = PassportRow.query(trx)
    .modify('ofOrganization', organization)
    .whereRaw('passports.id = any(?::uuid[])', [ids])
    .orderBy('passports.id')
  const rows = await (isLocked ? query.forUpdate() : query)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Reads the certified content of each passport. A key-share lock keeps their sheets from being changed until the
 * transaction ends: whoever changes a sheet after that finds these passports certified, or about to be, and lets them
 * be certified again.
 */
export async function readContents(
  trx: Knex,
  rows: Iterable<PassportRow>,
): Promise<(row: PassportRow) => CertifiedContent | null> {
  const getSheet = await readSheets(trx, rows, true)
  return (row) => getCertifiedContent(row, getSheet(row))
}

/** Reads the sheet of each passport, with a key-share lock or without. */
export async function readSheets(
  trx: Knex,
  rows: Iterable<PassportRow>,
  isLocked: boolean,
): Promise<(row: PassportRow) => SheetRow | null> {
  const ids = new Set([...rows].flatMap(({ sheet }) => sheet ?? []))
  const query = SheetRow.query(trx).findByIds([...ids])
  const sheets = await (isLocked ? query.forKeyShare() : query)
  const byId = new Map(sheets.map((sheet) => [sheet.id, sheet]))
  return ({ sheet }) => (sheet === null ? null : (byId.get(sheet) ?? null))
}

/**
 * Reads the newest version of each passport. A version is `lost` if its root failed, if its job ended before the
 * version counted, or if its key was revoked (unless the version was anchored before the key was compromised).
 */
async function readNewestVersions(trx: Knex, passports: readonly string[]): Promise<Map<string, VersionRow>> {
  const { rows } = await trx.raw<{ rows: VersionRow[] }>(
    `select distinct on (c.passport) c.passport, c.version, c.job, c.content_hash as "contentHash", c.settled, c.key is null as hosted,
       coalesce(a.status = 'failed', false)
       or coalesce(k.status = 'revoked' and (a.anchored_at < k.compromised_at) is not true, false)
       or (not c.settled and not exists (select from jobs where jobs.id = c.job and jobs.status = 'pending')) as lost
     from passport_credentials c left join anchors a on a.id = c.anchor left join certification_keys k on k.id = c.key
     where c.passport = any(?::uuid[]) order by c.passport, c.version desc`,
    [passports as string[]],
  )
  return new Map(rows.map((row) => [row.passport, row]))
}

/** Checks whether the newest version says what the passport says now and is anchored or about to be. */
function isCurrent(row: PassportRow, newest: VersionRow, contentHash: string): boolean {
  // A certificate that moved between the organization's host and ours is another certificate, even with the same
  // content.
  if (newest.lost || newest.contentHash !== contentHash || newest.hosted !== (row.certificateUri !== null)) return false
  return !newest.settled || row.contentHash === contentHash
}

async function insertVersions(
  trx: Knex,
  { job, organization }: CertificationTask,
  due: readonly DueCredential[],
  issued: ReadonlyMap<string, IssuedCredential>,
): Promise<void> {
  if (due.length === 0) return
  await insertCertificates(
    trx,
    { job, organization },
    due.map(({ row, version, line, contentHash }) => ({
      passport: row.id,
      version,
      line,
      network: row.network,
      contentHash,
      issued: issued.get(row.id) ?? null,
    })),
  )
  await awaitCertification(
    trx,
    job,
    due.map(({ row }) => row.id),
  )
}

async function markFailed(
  trx: Knex,
  job: string,
  due: readonly DueCredential[],
  errors: readonly JobError[],
): Promise<void> {
  if (errors.length === 0) return
  const byLine = new Map(due.map(({ line, row }) => [line, row.id]))
  const failed = errors.flatMap(({ line }) => byLine.get(line) ?? [])
  await recordPassportTallies(trx, 'certifyFailed', failed)
  await failCertification(
    trx,
    job,
    errors.map(({ line, message }) => ({ passport: byLine.get(line) ?? null, message })),
  )
}
