import type { Knex } from 'knex'
import { type CopySource, copyRows, escapeCopyJson, escapeCopyList, escapeCopyText } from '../../../../database/copy.ts'
import { newId } from '../../../../database/model.ts'
import { structureJobStatus } from '../passports.machine.ts'
import { presentDraftInEvents } from '../passports.present.ts'
import type { NewPassport } from '../passports.schema.ts'

const passportColumns = `passports (id, organization, application, sheet, sheet_version, network, source, reference, fields, data,
  product, certified_paths, certificate_uri, allowed_claim_email, allowed_claim_phone_number, import_job,
  structure_job, ${structureJobStatus.column}, created_at, updated_at)`
const eventColumns = 'events (id, organization, application, application_name, subject, type, passport, created_at)'

/** The content of a passport to copy, with its objects as JSON text. */
type CopiedContent =
  | { flow: 'sheet'; sheet: string; schemaVersion: number; fields: string }
  | { flow: 'product'; product: string; data: string }

/** An imported passport to insert. */
export interface CopiedPassport {
  id: string
  network: string
  body: NewPassport
  content: CopiedContent
  /** Where its structure job stands; null if the passport has none. */
  structureStatus: (typeof structureJobStatus.states)[number] | null
}

/** Imported passports of one application that are inserted together. */
export interface PassportCopy {
  organization: string
  application: string
  applicationName: string
  /** The time of creation, as PostgreSQL writes it. */
  now: string
  structureJob: string | null
  /** The import that makes them. */
  importJob: string
  rows: readonly CopiedPassport[]
  /** Rows of other tables that are written after the passports and before the events. */
  others: readonly CopySource[]
  /** Called when all passports are sent and the server stores them. */
  onIdle?: (() => void) | undefined
}

/**
 * Inserts drafts and their events by COPY. As for any draft, each event has only the id. The function returns while the
 * server still stores the events: the next statement of the transaction has to wait for `stored`.
 * @returns `stored`, as of `copyRows`
 */
export function copyPassports(trx: Knex.Transaction, copy: PassportCopy): Promise<{ stored: Promise<void> }> {
  return copyRows(trx, [
    { into: passportColumns, lines: formatPassportLines(copy) },
    ...copy.others,
    { into: eventColumns, lines: formatEventLines(copy), ahead: true },
  ])
}

function* formatPassportLines(copy: PassportCopy): Generator<string> {
  for (const row of copy.rows) yield formatPassportLine(row, copy)
}

/** Formats the lines of the events. The caller's own work is done first, while the server stores the passports. */
function* formatEventLines(copy: PassportCopy): Generator<string> {
  copy.onIdle?.()
  for (const row of copy.rows) yield formatEventLine(row, copy)
}

function formatPassportLine(
  { id, network, body, content, structureStatus }: CopiedPassport,
  { organization, application, structureJob, importJob, now }: PassportCopy,
): string {
  const contentColumns =
    content.flow === 'sheet'
      ? `${escapeCopyJson(content.fields)}\t\\N\t\\N`
      : `{}\t${escapeCopyJson(content.data)}\t${escapeCopyJson(content.product)}`
  const structure = structureStatus === null ? '\\N\t\\N' : `${structureJob ?? '\\N'}\t${structureStatus}`
  return (
    `${id}\t${organization}\t${application}\t${content.flow === 'sheet' ? `${content.sheet}\t${content.schemaVersion}` : '\\N\t\\N'}\t`
    + `${network}\timport\t${escapeCopyText(body.reference ?? null)}\t${contentColumns}\t${escapeCopyList(body.certifiedPaths ?? [])}\t`
    + `${escapeCopyText(body.certificateUri ?? null)}\t${escapeCopyText(body.allowedClaimEmail ?? null)}\t`
    + `${escapeCopyText(body.allowedClaimPhoneNumber ?? null)}\t${importJob}\t${structure}\t${now}\t${now}\n`
  )
}

function formatEventLine(
  { id }: CopiedPassport,
  { organization, application, applicationName, now }: PassportCopy,
): string {
  return (
    `${newId()}\t${organization}\t${application}\t${escapeCopyText(applicationName)}\tdppPassport\tcreate\t`
    + `${escapeCopyJson(JSON.stringify(presentDraftInEvents({ id })))}\t${now}\n`
  )
}
