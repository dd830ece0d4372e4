import type { Knex } from 'knex'
import { maxSamples, type DryRun } from '../../../kernel/dry-run.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { FieldDefinition } from '../fields/index.ts'
import { SheetRow } from './sheets.model.ts'
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
  return kept && createOlderSheet(sheet, { version, ...kept })
}

/** A sheet as it is, and with the definitions that validated a passport. */
export interface VersionedSheet {
  sheet: SheetRow
  own: SheetRow
}

/**
 * Reads the sheets of passports of an organization, each with the version of its definitions that validated the
 * passport, in at most two statements.
 * @returns the sheets by passport; none for a passport without a sheet
 */
export async function readVersionedSheets(
  trx: Knex,
  organization: string,
  passports: readonly { id: string; sheet: string | null; sheetVersion: number | null }[],
): Promise<ReadonlyMap<string, VersionedSheet>> {
  const ids = new Set(passports.flatMap(({ sheet }) => (sheet === null ? [] : [sheet])))
  if (ids.size === 0) return new Map()
  const sheets = new Map(
    (
      await SheetRow.query(trx)
        .modify('ofOrganization', organization)
        .whereRaw('id = any(?::uuid[])', [[...ids]])
    ).map((sheet) => [sheet.id, sheet]),
  )
  const older = new Map<string, SheetRow>()
  const wanted = passports.filter(({ sheet, ...passport }) => {
    const present = sheets.get(sheet ?? '')
    return present !== undefined && present.schemaVersion !== getSheetVersion(passport)
  })
  if (wanted.length > 0) {
    const { rows } = await trx.raw<{ rows: KeptVersionRow[] }>(
      `select distinct v.sheet, v.version, v.product_fields as product, v.passports_fields as passports
       from sheet_versions v join unnest(?::uuid[], ?::int[]) as wanted (sheet, version) using (sheet, version)`,
      [wanted.map(({ sheet }) => sheet), wanted.map(getSheetVersion)] as Knex.RawBinding[],
    )
    for (const row of rows) {
      const sheet = sheets.get(row.sheet)
      if (sheet) older.set(`${row.sheet} ${row.version}`, createOlderSheet(sheet, row))
    }
  }
  return new Map(
    passports.flatMap((passport) => {
      const sheet = sheets.get(passport.sheet ?? '')
      if (!sheet) return []
      return [[passport.id, { sheet, own: older.get(`${sheet.id} ${getSheetVersion(passport)}`) ?? sheet }] as const]
    }),
  )
}

interface KeptVersionRow {
  sheet: string
  version: number
  product: FieldDefinition[]
  passports: FieldDefinition[]
}

/** Creates the sheet with the definitions of one of its earlier versions. */
function createOlderSheet(sheet: SheetRow, { version, product, passports }: Omit<KeptVersionRow, 'sheet'>): SheetRow {
  const older = { schemaVersion: version, productFields: product, passportsFields: passports }
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
