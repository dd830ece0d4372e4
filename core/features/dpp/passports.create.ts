import type { Statement } from '../../database/connection.ts'
import { newId } from '../../database/model.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { invalid, type Violation } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { findApplication } from '../applications/index.ts'
import { draftInEvents, shownToOwner } from './passports.json.ts'
import { holderOf } from './passports.holders.ts'
import { createProductPassport } from './passports.product.ts'
import {
  duplicateReference, isProductFlow, judgeCertificateUri, judgeCertifiedPaths, judgeSheetMembers, judgeValues, refuseInvalid, storedValues,
} from './passports.rules.ts'
import type { NewPassport, Passport } from './passports.schema.ts'
import { runDirectly } from './passports.statements.ts'
import { readSheet, type SheetRow } from './sheets.reads.ts'

/** Sheets that passports were made from lately, by process; the statement says whether one is still as it was. */
const remembered = new WeakMap<Context, Map<string, SheetRow>>()
const mostRemembered = 500
/** A sheet that changes again each time it was read is changed by a machine; it does not get a passport meanwhile. */
const attempts = 5

/** Creates a draft. @throws INVALID_REQUEST, NOT_FOUND, VALIDATION_FAILED, DPP_PASSPORT_DUPLICATE_REFERENCE */
export async function createPassport(work: Work, caller: OrganizationCaller, body: NewPassport): Promise<Passport> {
  if (isProductFlow(body)) return createProductPassport(work, caller, body)
  return createFromSheet(work, caller, { ...body, product: body.product as string })
}

type NewSheetPassport = NewPassport & { product: string }

/**
 * The sheet is judged by as this process knows it and looked at again when it has changed, or when it
 * refuses the passport. @throws NOT_FOUND, VALIDATION_FAILED, DPP_PASSPORT_DUPLICATE_REFERENCE
 */
async function createFromSheet(work: Work, caller: OrganizationCaller, body: NewSheetPassport): Promise<Passport> {
  refuseInvalid([...judgeSheetMembers(body), ...judgeCertificateUri(work.context.outbound, body.certificateUri)])
  const known = sheetsOf(work.context)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const old = attempt === 0 ? known.get(body.product) : undefined
    const sheet = old?.organization === caller.organization ? old : await readSheet(work, body.product)
    const violations = await judgeSheetPassport(work, body, sheet)
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

/** Violations of a new passport against its sheet. @throws NOT_FOUND for an application that is not the organization's */
export async function judgeSheetPassport(work: Work, body: NewPassport, sheet: SheetRow): Promise<Violation[]> {
  const { application, fields = {}, certifiedPaths = [] } = body
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
      select id, organization, application, network, schema_version from sheets
      where id = $2 and organization = $3 and version = $4 for key share
    ), passports as (
      insert into passports (id, organization, application, sheet, sheet_version, network, fields, reference, certified_paths,
        certificate_uri, allowed_claim_email, allowed_claim_phone_number)
      select $1::uuid, organization, application, id, schema_version, network, $5::jsonb, $6::text, $7::text[], $8::text, $9::text, $10::text
      from sheet
      on conflict (application, reference) where reference is not null do nothing
      returning *
    ), made as (
      select organization, application, ${shownToOwner} as shown from passports
    ), told as (
      insert into events (id, organization, application, application_name, subject, type, passport)
      select $11::uuid, organization, application, shown -> 'application' ->> 'name', 'dppPassport', 'create',
        ${draftInEvents("shown ->> 'id'")}::jsonb
      from made
    )
    select shown from made`,
}

async function insert(work: Work, body: NewPassport, sheet: SheetRow): Promise<Passport | undefined> {
  const { reference = null, certifiedPaths = [], certificateUri = null } = body
  const { allowedClaimEmail = null, allowedClaimPhoneNumber = null } = body
  const [row] = await runDirectly<{ shown: Passport }>(work, insertPassport, [
    newId(), sheet.id, sheet.organization, sheet.version, JSON.stringify(storedValues(sheet, body.fields ?? {})),
    reference, certifiedPaths, certificateUri, allowedClaimEmail, allowedClaimPhoneNumber, newId(),
  ])
  return row?.shown
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
