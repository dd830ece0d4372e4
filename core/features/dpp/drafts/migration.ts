import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { JobError } from '../../../kernel/job.ts'
import { createNotFoundProblem, type Issue } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { findJob, type JobRow } from '../../jobs/index.ts'
import { createUnusableNetworkIssue } from '../content/index.ts'
import { applyDefaults } from '../fields/index.ts'
import { changesNothing } from './passports.change.ts'
import { assignSheetVersion, migrateFields, PassportRow, recordEventsByIds } from '../passports/index.ts'
import { type CertificateFate, decideCertificateFate, recertifyPassports } from '../certificates/index.ts'
import { createPassportValidator, SheetRow } from '../sheets/index.ts'

export interface MigrationPayload {
  sheet: string
}

/**
 * Starts the job that validates all passports of a sheet that have an older version of its definitions.
 * @returns the job
 */
export async function startMigration(
  { trx, context, afterCommit }: Work,
  { id, organization, application }: SheetRow,
): Promise<string> {
  const {
    rows: [counted],
  } = await trx.raw<{ rows: { total: number }[] }>(
    `select count(*) as total from passports join sheets on sheets.id = passports.sheet
     where sheets.id = ? and coalesce(passports.sheet_version, 1) < sheets.schema_version`,
    [id],
  )
  const payload: MigrationPayload = { sheet: id }
  const total = counted?.total ?? 0
  const job = await context.queue.enqueue(trx, { type: 'migrate', organization, application, total, payload })
  afterCommit(() => context.queue.notifyWorker(job))
  return job
}

/**
 * Reads the job that validates the passports of a sheet again.
 * @throws NOT_FOUND for a job of another sheet, organization or type
 */
export async function readMigrationJob(
  { trx }: Work,
  { organization }: OrganizationCaller,
  sheet: string,
  id: string,
): Promise<JobRow> {
  const row = await findJob(trx, id)
  if (row?.type !== 'migrate' || row.organization !== organization) throw createNotFoundProblem()
  if ((row.payload as MigrationPayload).sheet !== sheet) throw createNotFoundProblem()
  return row
}

/** The position of a migration in the passports of its sheet, which are handled in the order of their creation. */
export interface MigrationPlace {
  at: string
  id: string
  line: number
}

export const firstPlace: MigrationPlace = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000', line: 0 }

/** A passport that has to be migrated, with the time of its creation. */
export interface UnmigratedPassport {
  id: string
  at: string
}

/** The result of one batch. */
export interface MigratedBatch {
  migrated: number
  changed: number
  recertified: number
  errors: JobError[]
}

interface PassportMigration {
  before: PassportRow
  after: PassportRow
  changed: boolean
  fate: CertificateFate
}

/** Lists the next passports of a sheet, at most `maxPassports`, that have an older version of its definitions. */
export async function listUnmigratedPassports(
  trx: Knex,
  sheetId: string,
  from: MigrationPlace,
  maxPassports: number,
): Promise<UnmigratedPassport[]> {
  const { rows } = await trx.raw<{ rows: UnmigratedPassport[] }>(
    `select passports.id, passports.created_at::text as at from passports join sheets on sheets.id = passports.sheet
     where passports.sheet = ? and (passports.created_at, passports.id) > (?::timestamptz, ?::uuid)
       and coalesce(passports.sheet_version, 1) < sheets.schema_version
     order by passports.created_at, passports.id limit ?`,
    [sheetId, from.at, from.id, maxPassports],
  )
  return rows
}

/**
 * Validates passports of a sheet against its present definitions. Passports that fit take the present version and its
 * defaults. A certified passport whose certified content changed is certified again.
 * @param firstLine the line of the first of them, for the errors
 */
export async function migratePassports(
  trx: Knex.Transaction,
  context: Context,
  sheetId: string,
  passports: readonly UnmigratedPassport[],
  firstLine: number,
): Promise<MigratedBatch> {
  const lines = new Map(passports.map(({ id }, index) => [id, firstLine + index]))
  // The passports are locked in the order of ids, as every writer of many passports does, and before their sheet.
  const rows = await PassportRow.query(trx)
    .whereRaw('id = any(?::uuid[])', [passports.map(({ id }) => id)])
    .orderBy('id')
    .forUpdate()
  const sheet = await SheetRow.query(trx).findById(sheetId).forKeyShare().throwIfNotFound()
  const migratePassport = createPassportMigrator(context, sheet)
  const results = rows.map((row) => ({ row, result: migratePassport(row) }))
  const fitting = results.flatMap(({ result }) => ('violation' in result ? [] : [result]))
  const errors = results.flatMap(({ row: { id }, result }): JobError[] =>
    'violation' in result
      ? [{ line: lines.get(id) ?? 0, ...result.violation, message: `Passport ${id}: ${result.violation.message}.` }]
      : [],
  )
  const recertified = await updatePassports(trx, context, sheet, fitting)
  return {
    migrated: fitting.length,
    changed: fitting.filter(({ changed }) => changed).length,
    recertified,
    errors: errors.sort((one, other) => one.line - other.line),
  }
}

function createPassportMigrator({ chains }: Context, sheet: SheetRow) {
  const validatePassport = createPassportValidator(sheet)
  return (row: PassportRow): PassportMigration | { violation: Issue } => {
    const [issue] = validatePassport(row.fields, row.certifiedPaths)
    if (issue) return { violation: issue }
    const fields = applyDefaults(sheet.passportsFields, row.fields)
    const now = Object.assign(Object.create(PassportRow.prototype) as PassportRow, row, { fields })
    const fate = decideCertificateFate(row, now, sheet)
    if ((fate === 'again' || fate === 'anew') && !chains.canSend(row.network))
      return { violation: createUnusableNetworkIssue(row.network) }
    return { before: row, after: now, changed: !changesNothing(row, { fields }), fate }
  }
}

/**
 * Updates the passports that fit.
 * @returns how many of them are certified again
 */
async function updatePassports(
  trx: Knex.Transaction,
  context: Context,
  sheet: SheetRow,
  migrations: readonly PassportMigration[],
): Promise<number> {
  const { schemaVersion, organization } = sheet
  const changed = migrations.filter((one) => one.changed)
  const unchanged = migrations.filter((one) => !one.changed)
  await assignSheetVersion(
    trx,
    schemaVersion,
    unchanged.map(({ before }) => before.id),
  )
  if (changed.length === 0) return 0
  await migrateFields(
    trx,
    schemaVersion,
    changed.map(({ after }) => after),
  )
  const fates = changed.map(({ before, fate }) => ({ passport: before.id, fate }))
  for (const job of await recertifyPassports(trx, context, organization, fates)) await context.queue.wakeJobs(trx, job)
  await recordEventsByIds(
    trx,
    'update',
    changed.map(({ before }) => before.id),
  )
  return changed.filter(({ fate }) => fate === 'again' || fate === 'anew').length
}
