import type { Knex } from 'knex'
import { raw } from 'objection'
import type { Network } from '../../../../chains/networks.ts'
import { passportStatus } from '../passports.machine.ts'
import { PassportRow } from '../passports.model.ts'
import type { PassportPatch } from '../passports.schema.ts'

/** The columns that a change of a passport replaces. */
export type PassportChange = Partial<Pick<PassportRow, (keyof PassportPatch & keyof PassportRow) | 'sheetVersion'>>

/**
 * Changes a passport. The only state that a change leads to is the archive.
 * @throws UniqueViolationError if another passport of the application has the reference or the numbers
 */
export async function changePassport(db: Knex, id: string, change: PassportChange): Promise<void> {
  const { status, ...members } = change
  const archives = status === passportStatus.moves.archive.to
  await PassportRow.query(db)
    .findById(id)
    .patch({ ...members, ...(archives && { status: passportStatus.moves.archive.to }), updatedAt: raw('now()') })
}

const toJsonText = (value: unknown) => (value === null ? null : JSON.stringify(value))

/**
 * Replaces the content of passports with that of these rows, in one statement.
 * @throws UniqueViolationError if another passport of the application has a reference or the numbers
 */
export async function changePassports(trx: Knex, rows: readonly PassportRow[]): Promise<void> {
  const column = (read: (row: PassportRow) => string | null) => rows.map(read)
  await trx.raw(
    `update passports set reference = now.reference, fields = now.fields::jsonb, product = now.product::jsonb,
       data = now.data::jsonb, sheet_version = now.version, certified_paths = array(select jsonb_array_elements_text(now.paths::jsonb)),
       certificate_uri = now.uri, allowed_claim_email = now.email, allowed_claim_phone_number = now.phone,
       updated_at = now()
     from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[])
       as now (id, reference, fields, product, data, paths, uri, email, phone, version)
     where passports.id = now.id`,
    [
      column(({ id }) => id),
      column(({ reference }) => reference),
      column(({ fields }) => toJsonText(fields)),
      column(({ product }) => toJsonText(product)),
      column(({ data }) => toJsonText(data)),
      column(({ certifiedPaths }) => toJsonText(certifiedPaths)),
      column(({ certificateUri }) => certificateUri),
      column(({ allowedClaimEmail }) => allowedClaimEmail),
      column(({ allowedClaimPhoneNumber }) => allowedClaimPhoneNumber),
      rows.map(({ sheetVersion }) => sheetVersion),
    ] as Knex.RawBinding[],
  )
}

/** Assigns a version of their sheet to passports that fit it as they are. That is no change of the passports. */
export async function assignSheetVersion(trx: Knex, version: number, passports: readonly string[]): Promise<void> {
  await trx.raw('update passports set sheet_version = ? where id = any(?::uuid[])', [version, passports as string[]])
}

/** Replaces the values of passports with values that fit a version of their sheet. */
export async function migrateFields(
  trx: Knex,
  version: number,
  rows: readonly Pick<PassportRow, 'id' | 'fields'>[],
): Promise<void> {
  await trx.raw(
    `update passports set sheet_version = ?, fields = now.fields::jsonb, updated_at = now()
     from unnest(?::uuid[], ?::text[]) as now (id, fields) where passports.id = now.id`,
    [version, rows.map(({ id }) => id), rows.map(({ fields }) => JSON.stringify(fields))],
  )
}

/** Moves all passports of a sheet to another network. */
export async function changeNetworkOfSheet(trx: Knex, sheet: string, network: Network): Promise<void> {
  await trx('passports').where({ sheet }).update({ network, updated_at: trx.fn.now() })
}

/** Archives passports. */
export async function archivePassports(trx: Knex, ids: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports set ${passportStatus.set('archive')}, updated_at = now()
     where id = any(?::uuid[]) and ${passportStatus.isPossible('archive')}`,
    [ids as string[]],
  )
}

/** Deletes the rows of passports. */
export async function deletePassportRows(trx: Knex, ids: readonly string[]): Promise<void> {
  await PassportRow.query(trx)
    .delete()
    .whereRaw('id = any(?::uuid[])', [ids as string[]])
}
