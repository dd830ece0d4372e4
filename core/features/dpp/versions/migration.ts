import type { Knex } from 'knex'
import type { JobError } from '../../../kernel/job.ts'
import type { Violation } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { unusable } from '../networks.rules.ts'
import { changesNothing } from '../passports.change.ts'
import { recordEventsOf } from '../passports.events.ts'
import { PassportRow } from '../passports.model.ts'
import { storedValues } from '../passports.rules.ts'
import { certificateFate, recertifyAll, type CertificateFate } from '../recertify.ts'
import { SheetRow } from '../sheets.model.ts'
import { passportJudge } from './conformance.ts'

export interface MigrationPayload { sheet: string }

/** Starts the job that judges all passports of a sheet that an older version judged. @returns the job */
export async function startMigration({ trx, context, afterCommit }: Work, { id, organization }: SheetRow): Promise<string> {
  const { rows: [counted] } = await trx.raw<{ rows: { total: number }[] }>(
    `select count(*) as total from passports join sheets on sheets.id = passports.sheet
     where sheets.id = ? and coalesce(passports.sheet_version, 1) < sheets.schema_version`, [id])
  const payload: MigrationPayload = { sheet: id }
  const job = await context.queue.enqueue(trx, { type: 'migrate', organization, total: counted?.total ?? 0, payload })
  afterCommit(() => context.queue.ring(job))
  return job
}

/** Where a migration is in the passports of its sheet, which come in the order in which they were made. */
export interface Place { at: string; id: string; line: number }

export const firstPlace: Place = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000', line: 0 }

/** What a portion came to. `last` is null when there is nothing left. */
export interface MigratedPortion { last: Place | null; migrated: number; changed: number; recertified: number; errors: JobError[] }

interface Judged { row: PassportRow; now: PassportRow; changed: boolean; fate: CertificateFate }

/**
 * Judges the next passports of a sheet, at most so many, by its definitions in force. Those that fit take their version,
 * and the values that these stand in with; what they certify is certified again where it became another.
 */
export async function migratePortion(
  trx: Knex.Transaction, context: Context, sheetId: string, from: Place, max: number,
): Promise<MigratedPortion> {
  const { rows: places } = await trx.raw<{ rows: { id: string; at: string }[] }>(
    `select passports.id, passports.created_at::text as at from passports join sheets on sheets.id = passports.sheet
     where passports.sheet = ? and (passports.created_at, passports.id) > (?::timestamptz, ?::uuid)
       and coalesce(passports.sheet_version, 1) < sheets.schema_version
     order by passports.created_at, passports.id limit ?`, [sheetId, from.at, from.id, max])
  const end = places.at(-1)
  if (!end) return { last: null, migrated: 0, changed: 0, recertified: 0, errors: [] }
  const lines = new Map(places.map(({ id }, index) => [id, from.line + index]))
  // Locked in the order of ids, as every writer of many passports does, and before their sheet.
  const rows = await PassportRow.query(trx).whereRaw('id = any(?::uuid[])', [places.map(({ id }) => id)])
    .orderBy('id').forUpdate()
  const sheet = await SheetRow.query(trx).findById(sheetId).forKeyShare().throwIfNotFound()
  const judge = judgeOf(context, sheet)
  const judged = rows.map((row) => ({ row, result: judge(row) }))
  const fitting = judged.flatMap(({ result }) => ('violation' in result ? [] : [result]))
  const errors = judged.flatMap(({ row: { id }, result }): JobError[] => ('violation' in result
    ? [{ line: lines.get(id) ?? 0, ...result.violation, message: `Passport ${id}: ${result.violation.message}.` }]
    : []))
  const recertified = await write(trx, context, sheet, fitting)
  return {
    last: { ...end, line: from.line + places.length },
    migrated: fitting.length, changed: fitting.filter(({ changed }) => changed).length, recertified,
    errors: errors.sort((one, other) => one.line - other.line),
  }
}

function judgeOf({ chains }: Context, sheet: SheetRow) {
  const violationsOf = passportJudge(sheet)
  return (row: PassportRow): Judged | { violation: Violation } => {
    const [violation] = violationsOf(row.fields, row.certifiedPaths)
    if (violation) return { violation }
    const fields = storedValues(sheet, row.fields)
    const now = Object.assign(Object.create(PassportRow.prototype) as PassportRow, row, { fields })
    const fate = certificateFate(row, now, sheet)
    if ((fate === 'again' || fate === 'anew') && !chains.usable(row.network)) return { violation: unusable(row.network) }
    return { row, now, changed: !changesNothing(row, { fields }), fate }
  }
}

/** @returns how many are certified again */
async function write(trx: Knex.Transaction, context: Context, sheet: SheetRow, judged: readonly Judged[]): Promise<number> {
  const { schemaVersion, organization } = sheet
  const changed = judged.filter((one) => one.changed)
  await trx.raw('update passports set sheet_version = ? where id = any(?::uuid[])',
    [schemaVersion, judged.filter((one) => !one.changed).map(({ row }) => row.id)])
  if (changed.length === 0) return 0
  await trx.raw(
    `update passports set sheet_version = ?, fields = now.fields::jsonb, updated_at = now()
     from unnest(?::uuid[], ?::text[]) as now (id, fields) where passports.id = now.id`,
    [schemaVersion, changed.map(({ row }) => row.id), changed.map(({ now }) => JSON.stringify(now.fields))])
  const fates = changed.map(({ row, fate }) => ({ passport: row.id, fate }))
  for (const job of await recertifyAll(trx, context, organization, fates)) await context.queue.wake(trx, job)
  await recordEventsOf(trx, 'update', changed.map(({ row }) => row.id))
  return changed.filter(({ fate }) => fate === 'again' || fate === 'anew').length
}
