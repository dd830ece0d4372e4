import type { Knex } from 'knex'
import type { Statement } from '../../database/connection.ts'
import { newId } from '../../database/model.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { invalid, type Violation } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { shownToOwner } from './passports.json.ts'
import { duplicateReference, judgeCertifiedPaths, judgeValues, refuseInvalid, storedValues } from './passports.rules.ts'
import type { NewPassport, Passport } from './passports.schema.ts'
import { holderOf } from './passports.ts'
import { readSheet, type SheetRow } from './sheets.ts'

/** Sheets that passports were made from lately, by process; the statement says whether one is still as it was. */
const remembered = new WeakMap<Context, Map<string, SheetRow>>()
const mostRemembered = 500
/** A sheet that changes again each time it was read is changed by a machine; it does not get a passport meanwhile. */
const attempts = 5

/**
 * Creates a draft. The sheet is judged by as this process knows it and looked at again when it has changed, or when it
 * refuses the passport. @throws NOT_FOUND, VALIDATION_FAILED, DPP_PASSPORT_DUPLICATE_REFERENCE
 */
export async function createPassport(work: Work, caller: OrganizationCaller, body: NewPassport): Promise<Passport> {
  const known = sheetsOf(work.context)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const old = attempt === 0 ? known.get(body.product) : undefined
    const sheet = old?.organization === caller.organization ? old : await readSheet(work, body.product)
    const violations = await judge(work, body, sheet)
    if (violations.length > 0 && sheet === old) continue
    refuseInvalid(violations)
    const made = await insert(work, body, sheet)
    if (made) {
      remember(known, sheet)
      return made
    }
    const { reference = null } = body
    const holder = reference === null ? undefined : await holderOf(work.trx, sheet.application, reference)
    if (holder !== undefined) throw duplicateReference(holder)
  }
  throw invalid([{ path: 'product', code: 'changing', message: 'names a sheet that is being changed; try again' }])
}

async function judge(work: Work, { application, fields = {}, certifiedPaths = [] }: NewPassport, sheet: SheetRow): Promise<Violation[]> {
  if (application !== undefined && application !== sheet.application) {
    await findApplication(work, application)
    return [{ path: 'application', code: 'mismatch', message: 'is not the application of the sheet' }]
  }
  return [...judgeValues(sheet, fields, 'fields'), ...judgeCertifiedPaths(sheet, certifiedPaths)]
}

/**
 * The passport and its event in one statement, when the sheet is as it was judged; it stays so until the commit, as
 * its network and status decide about passports. Whoever has the reference keeps it.
 */
const insertPassport: Statement = {
  name: 'passport_insert',
  text: `
    with sheet as materialized (
      select id, organization, application, network from sheets
      where id = $2 and organization = $3 and version = $4 for key share
    ), passports as (
      insert into passports (id, organization, application, sheet, network, fields, reference, certified_paths,
        certificate_uri, allowed_claim_email, allowed_claim_phone_number)
      select $1::uuid, organization, application, id, network, $5::jsonb, $6::text, $7::text[], $8::text, $9::text, $10::text
      from sheet
      on conflict (application, reference) where reference is not null do nothing
      returning *
    ), made as (
      select organization, application, ${shownToOwner} as shown from passports
    ), told as (
      insert into events (id, organization, application, application_name, subject, type, passport)
      select $11::uuid, organization, application, shown -> 'application' ->> 'name', 'dppPassport', 'create', shown
      from made
    )
    select shown from made`,
}

async function insert(work: Work, body: NewPassport, sheet: SheetRow): Promise<Passport | undefined> {
  const { reference = null, certifiedPaths = [], certificateUri = null } = body
  const { allowedClaimEmail = null, allowedClaimPhoneNumber = null } = body
  const [row] = await run<{ shown: Passport }>(work, insertPassport, [
    newId(), sheet.id, sheet.organization, sheet.version, JSON.stringify(storedValues(sheet, body.fields ?? {})),
    reference, certifiedPaths, certificateUri, allowedClaimEmail, allowedClaimPhoneNumber, newId(),
  ])
  return row?.shown
}

/** In the transaction of the work where it has one, else as a statement that is a transaction itself. */
async function run<Row>({ trx, context }: Work, { name = '', text }: Statement, values: readonly unknown[]): Promise<Row[]> {
  if (!trx.isTransaction) return context.direct.rows<Row>({ name, text }, values)
  const numbers: number[] = []
  const sql = text.replace(/\$(\d+)/g, (_, at: string) => {
    numbers.push(Number(at))
    return '?'
  })
  const { rows } = await trx.raw<{ rows: Row[] }>(sql, numbers.map((at) => values[at - 1]) as Knex.RawBinding[])
  return rows
}

function sheetsOf(context: Context): Map<string, SheetRow> {
  const known = remembered.get(context) ?? new Map<string, SheetRow>()
  remembered.set(context, known)
  return known
}

function remember(known: Map<string, SheetRow>, sheet: SheetRow): void {
  known.delete(sheet.id)
  known.set(sheet.id, sheet)
  const [oldest] = known.keys()
  if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
}
