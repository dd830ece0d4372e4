import type { Knex } from 'knex'
import { maxSamples, type DryRun } from '../../../kernel/dry-run.ts'
import { problem } from '../../../kernel/problem.ts'
import type { FieldDefinition } from '../fields.schema.ts'
import type { SheetRow } from '../sheets.model.ts'
import type { Conformance, Definitions } from './conformance.ts'

/** What a version of a sheet is a version of. */
export const definitionsOf = ({ productFields, passportsFields }: Definitions): Definitions =>
  ({ productFields, passportsFields })

/** Keeps the definitions in force, which others take the place of. @returns the version of those */
export async function keepVersion(trx: Knex, { id, schemaVersion, productFields, passportsFields }: SheetRow): Promise<number> {
  await trx.raw(
    `insert into sheet_versions (sheet, version, product_fields, passports_fields) values (?, ?, ?::jsonb, ?::jsonb)`,
    [id, schemaVersion, JSON.stringify(productFields), JSON.stringify(passportsFields)])
  return schemaVersion + 1
}

/** The version that judged a passport. */
export const sheetVersionOf = ({ sheetVersion }: { sheetVersion: number | null }): number => sheetVersion ?? 1

/** The sheet with the definitions of one of its versions; undefined where it has no such version. */
export async function sheetAsOf(trx: Knex, sheet: SheetRow, version: number): Promise<SheetRow | undefined> {
  if (version === sheet.schemaVersion) return sheet
  const { rows: [kept] } = await trx.raw<{ rows: { product: FieldDefinition[]; passports: FieldDefinition[] }[] }>(
    `select product_fields as product, passports_fields as passports from sheet_versions where sheet = ? and version = ?`,
    [sheet.id, version])
  if (!kept) return undefined
  const older = { schemaVersion: version, productFields: kept.product, passportsFields: kept.passports }
  return Object.assign(Object.create(Object.getPrototypeOf(sheet) as object) as SheetRow, sheet, older)
}

const people = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'passport' : 'passports'}`

/** @throws DPP_PRODUCT_SCHEMA_IN_USE where a passport does not fit */
export function refuseMisfits({ misfits, samples }: Conformance): void {
  if (misfits === 0) return
  throw problem('DPP_PRODUCT_SCHEMA_IN_USE', `${people(misfits)} of the sheet would not meet these definitions.`, {
    errors: samples.map(({ id, violation: { path, code, message } }) =>
      ({ path, code, message: `of passport ${id} ${message}` })),
    extra: { passports: misfits, samples: samples.map(({ id, name }) => ({ id, name })) },
  })
}

/** What a change of a sheet would do to its passports. @param conformance null where all of them fit */
export async function dryRunOf(
  trx: Knex, sheet: SheetRow, conformance: Conformance | null, migrate: boolean,
): Promise<DryRun> {
  const matched = conformance?.passports ?? await countPassports(trx, sheet.id)
  const misfits = conformance?.misfits ?? 0
  const samples = conformance?.samples.map(({ id, name }) => ({ id, name })).slice(0, maxSamples) ?? []
  const refused = misfits > 0 && !migrate
  return {
    matched, willChange: migrate ? matched - misfits : 0, samples,
    skipped: misfits > 0 ? [{ reason: 'They would not meet the new definitions.', count: misfits }] : [],
    warnings: refused ? ['The change would be refused with DPP_PRODUCT_SCHEMA_IN_USE; migrate: true takes it.'] : [],
  }
}

async function countPassports(trx: Knex, sheet: string): Promise<number> {
  const { rows: [counted] } = await trx.raw<{ rows: { count: number }[] }>(
    'select count(*) as count from passports where sheet = ?', [sheet])
  return counted?.count ?? 0
}
