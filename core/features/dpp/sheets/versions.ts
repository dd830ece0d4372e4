import type { Knex } from 'knex'
import { maxSamples, type DryRun } from '../../../kernel/dry-run.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { FieldDefinition } from '../fields/index.ts'
import type { SheetRow } from './sheets.model.ts'
import type { Conformance, Definitions } from './conformance.ts'

/** Returns the members of a sheet that its versions are versions of. */
export const getDefinitions = ({ productFields, passportsFields }: Definitions): Definitions => ({
  productFields,
  passportsFields,
})

/** Returns the version of the sheet that a passport was validated against. */
export const getSheetVersion = ({ sheetVersion }: { sheetVersion: number | null }): number => sheetVersion ?? 1

/** Finds a sheet with the definitions of one of its versions; undefined if the sheet has no such version. */
export async function findSheetVersion(trx: Knex, sheet: SheetRow, version: number): Promise<SheetRow | undefined> {
  if (version === sheet.schemaVersion) return sheet
  const {
    rows: [kept],
  } = await trx.raw<{ rows: { product: FieldDefinition[]; passports: FieldDefinition[] }[] }>(
    `select product_fields as product, passports_fields as passports from sheet_versions where sheet = ? and version = ?`,
    [sheet.id, version],
  )
  if (!kept) return undefined
  const older = { schemaVersion: version, productFields: kept.product, passportsFields: kept.passports }
  return Object.assign(Object.create(Object.getPrototypeOf(sheet) as object) as SheetRow, sheet, older)
}

const formatPassportCount = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'passport' : 'passports'}`

/**
 * Checks that every passport fits the new definitions.
 * @throws DPP_PRODUCT_SCHEMA_IN_USE if a passport does not fit
 */
export function assertConformance({ nonconforming, samples }: Conformance): void {
  if (nonconforming === 0) return
  throw createProblem(
    'DPP_PRODUCT_SCHEMA_IN_USE',
    `${formatPassportCount(nonconforming)} of the sheet would not meet these definitions.`,
    {
      errors: samples.map(({ id, issue: { path, code, message } }) => ({
        path,
        code,
        message: `of passport ${id} ${message}`,
      })),
      extra: { passports: nonconforming, samples: samples.map(({ id, name }) => ({ id, name })) },
    },
  )
}

/**
 * Creates the preview of what a change of a sheet would do to its passports.
 * @param conformance null if all passports fit
 */
export async function createDryRun(
  trx: Knex,
  sheet: SheetRow,
  conformance: Conformance | null,
  migrate: boolean,
): Promise<DryRun> {
  const matched = conformance?.passports ?? (await countPassports(trx, sheet.id))
  const nonconforming = conformance?.nonconforming ?? 0
  const samples = conformance?.samples.map(({ id, name }) => ({ id, name })).slice(0, maxSamples) ?? []
  const refused = nonconforming > 0 && !migrate
  return {
    matched,
    willChange: migrate ? matched - nonconforming : 0,
    samples,
    skipped: nonconforming > 0 ? [{ reason: 'They would not meet the new definitions.', count: nonconforming }] : [],
    warnings: refused ? ['The change would be refused with DPP_PRODUCT_SCHEMA_IN_USE; migrate: true takes it.'] : [],
  }
}

async function countPassports(trx: Knex, sheet: string): Promise<number> {
  const {
    rows: [counted],
  } = await trx.raw<{ rows: { count: number }[] }>('select count(*) as count from passports where sheet = ?', [sheet])
  return counted?.count ?? 0
}
