import type { Knex } from 'knex'
import type { Statement } from '../../../../database/connection.ts'
import { newId } from '../../../../database/model.ts'
import { UnavailableError } from '../../../../kernel/unavailable.ts'
import type { Work } from '../../../../kernel/work.ts'
import { createHeldBlockSql, createUseSql } from '../../../../meters/index.ts'
import { applyDefaults } from '../../fields/index.ts'
import type { SheetRow } from '../../sheets/index.ts'
import { draftEventSql, passportSql } from '../passports.present.ts'
import type { NewProductPassport } from '../passports.rules.ts'
import type { NewPassport, Passport } from '../passports.schema.ts'

/**
 * The statement that inserts the passport and its event, if the sheet still has the version that the passport was
 * validated against. A lock keeps the sheet as it is until the commit, because its network and status matter for its
 * passports. If another passport has the reference, nothing is inserted.
 */
export const sheetPassportStatement: Statement = {
  name: 'passport_insert',
  text: `
    with held as materialized (${createHeldBlockSql('$12::bigint')}
    ), sheet as materialized (
      select id, organization, application, network, schema_version from sheets
      where id = $2 and organization = $3 and version = $4 and exists (select from held) for key share
    ), passports as (
      insert into passports (id, organization, application, sheet, sheet_version, network, fields, reference, certified_paths,
        certificate_uri, allowed_claim_email, allowed_claim_phone_number)
      select $1::uuid, organization, application, id, schema_version, network, $5::jsonb, $6::text, $7::text[], $8::text, $9::text, $10::text
      from sheet
      on conflict (application, reference) where reference is not null do nothing
      returning *
    ), made as (
      select organization, application, ${passportSql.owner} as shown, ${draftEventSql} as draft from passports
    ), told as (
      insert into events (id, organization, application, application_name, subject, type, passport)
      select $11::uuid, organization, application, shown -> 'application' ->> 'name', 'dppPassport', 'create',
        draft::jsonb
      from made
    ), used as (${createUseSql('$12::bigint', '1', 'made')})
    select (select shown from made) as shown, exists (select from held) as held`,
}

/**
 * Inserts a draft of a sheet and its event.
 * @returns undefined if the sheet has another version by now, or if another passport has the reference
 */
export async function insertSheetPassport(
  work: Work,
  body: NewPassport,
  sheet: SheetRow,
): Promise<Passport | undefined> {
  const { fields = {}, reference = null, certifiedPaths = [], certificateUri = null } = body
  const { allowedClaimEmail = null, allowedClaimPhoneNumber = null } = body
  return insertMetered(work, sheet.organization, sheetPassportStatement, [
    newId(),
    sheet.id,
    sheet.organization,
    sheet.version,
    JSON.stringify(applyDefaults(sheet.passportsFields, fields)),
    reference,
    certifiedPaths,
    certificateUri,
    allowedClaimEmail,
    allowedClaimPhoneNumber,
    newId(),
  ])
}

/**
 * The statement that inserts the passport and its event, if the application exists. If another passport has the
 * reference or the numbers, nothing is inserted.
 */
const productPassportStatement: Statement = {
  name: 'product_passport_insert',
  text: `
    with held as materialized (${createHeldBlockSql('$13::bigint')}
    ), application as materialized (
      select id, organization, default_network from applications
      where id = $2 and organization = $3 and exists (select from held) for key share
    ), added as (
      insert into passports (id, organization, application, network, product, data, reference, certified_paths,
        certificate_uri, allowed_claim_email, allowed_claim_phone_number)
      select $1::uuid, organization, id, coalesce($4::text, default_network), $5::jsonb, $6::jsonb, $7::text, $8::text[],
        $9::text, $10::text, $11::text
      from application
      on conflict do nothing
      returning *
    ), made as (
      select passports.organization, passports.application, ${passportSql.owner} as shown, ${draftEventSql} as draft from added as passports
    ), told as (
      insert into events (id, organization, application, application_name, subject, type, passport)
      select $12::uuid, organization, application, shown -> 'application' ->> 'name', 'dppPassport', 'create',
        draft::jsonb
      from made
    ), used as (${createUseSql('$13::bigint', '1', 'made')})
    select (select shown from made) as shown, exists (select from held) as held`,
}

/**
 * Inserts a draft that describes its product itself, and its event.
 * @returns undefined if there is no such application, or if another passport has the reference or the numbers
 */
export async function insertProductPassport(
  work: Work,
  organization: string,
  body: NewProductPassport,
): Promise<Passport | undefined> {
  const { application, network = null, product, data = {}, reference = null, certifiedPaths = [] } = body
  const { certificateUri = null, allowedClaimEmail = null, allowedClaimPhoneNumber = null } = body
  return insertMetered(work, organization, productPassportStatement, [
    newId(),
    application,
    organization,
    network,
    JSON.stringify(product),
    JSON.stringify(data),
    reference,
    certifiedPaths,
    certificateUri,
    allowedClaimEmail,
    allowedClaimPhoneNumber,
    newId(),
  ])
}

/** The most blocks of units that an insert tries, while plans change or a month begins. */
const maxBlocks = 5

/**
 * Inserts a passport and uses a unit of the organization's operations, in one statement, whose last value is the block
 * of the unit.
 * @returns undefined if nothing was inserted; then the unit is given back
 * @throws QUOTA_EXCEEDED
 */
async function insertMetered(
  work: Work,
  organization: string,
  statement: Statement,
  values: readonly unknown[],
): Promise<Passport | undefined> {
  for (let attempt = 0; attempt < maxBlocks; attempt++) {
    const unit = await work.context.meters.takeUnit({ organization, meter: 'dpp.operations' })
    const [row] = await runDirectly<{ shown: Passport | null; held: boolean }>(work, statement, [...values, unit.block])
    if (row?.held !== true) unit.drop()
    else if (row.shown === null) {
      unit.giveBack()
      return undefined
    } else return row.shown
  }
  throw new UnavailableError('The quota of the organization is being changed.')
}

/** Runs a statement in the transaction of the work; without one, as a statement that is a transaction itself. */
async function runDirectly<Row>(
  { trx, context }: Work,
  { name = '', text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  if (!trx.isTransaction) return context.directDatabase.queryRows<Row>({ name, text }, values)
  const numbers: number[] = []
  const sql = text.replace(/\$(\d+)/g, (_, at: string) => {
    numbers.push(Number(at))
    return '?'
  })
  const { rows } = await trx.raw<{ rows: Row[] }>(sql, numbers.map((at) => values[at - 1]) as Knex.RawBinding[])
  return rows
}
