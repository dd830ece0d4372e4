import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { findAnyApplication } from '../applications/index.ts'
import { isObject } from './fields.judges.ts'
import type { FieldDefinition } from './fields.schema.ts'
import { isTaken } from './claims.rules.ts'
import { isUnspent, readMagicToken } from './magic-tokens.ts'
import { ownershipOf, type Ownership } from './ownership.ts'
import { PassportRow } from './passports.model.ts'
import { presentPublicly } from './passports.present.ts'
import type { Passport } from './passports.schema.ts'
import { SheetRow } from './sheets.model.ts'

/** One value with the words that people read; of an object its members have them too. */
export interface LabelledValue {
  label: string
  type: FieldDefinition['type']
  value: unknown
  members?: LabelledValue[]
}

/** What everyone may see of a passport, ready for a page. */
export interface PassportView {
  passport: Passport
  title: string
  /** First picture among the values, an https address. */
  image: string | null
  values: LabelledValue[]
  ownership: Ownership[]
  application: { id: string; name: string; title: string; websiteUrl: string | null }
  organization: string
  claimable: boolean
}

/** A passport as its public page shows it; null for a draft and for none. */
export async function passportView(db: Knex, id: string): Promise<PassportView | null> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row || row.status === 'draft') return null
  const sheet = await SheetRow.query(db).findById(row.sheet)
  if (!sheet) return null
  const [ownership, application, taken] = await Promise.all([ownershipOf(db, id), findAnyApplication(db, row.application), isTaken(db, id)])
  const values = [...labelled(sheet.productFields, sheet.fields), ...labelled(sheet.passportsFields, row.fields)]
  return {
    passport: presentPublicly(row), title: sheet.name, values, ownership, organization: row.organization,
    image: values.flatMap(({ type, value }) => type === 'image' && typeof value === 'string' && value.startsWith('https://') ? [value] : [])[0] ?? null,
    application: { id: application.id, name: application.name, title: application.theme.title ?? application.name, websiteUrl: application.websiteUrl },
    claimable: row.status === 'published' && (sheet.status === 'ACTIVE' || sheet.status === 'UNLISTED') && !taken,
  }
}

function labelled(definitions: readonly FieldDefinition[], values: Record<string, unknown>): LabelledValue[] {
  return definitions.flatMap(({ name, label = name, type, fields }) => {
    const value = values[name]
    if (value === undefined || value === null) return []
    // The definition may have become an object's after the value was stored.
    return [{ label, type, value, ...(fields && isObject(value) && { members: labelled(fields, value) }) }]
  })
}

/** What a magic token leads to, and whether it still works. @throws DPP_MAGIC_TOKEN_INVALID when it is forged */
export async function tokenView(context: Context, token: string): Promise<{ view: PassportView | null; works: boolean }> {
  const shown = await readMagicToken(context, token)
  const [view, works] = await Promise.all([passportView(context.db, shown.passport), isUnspent(context.db, shown)])
  return { view, works: works && view !== null && view.claimable }
}

/** The identifier of the public passport with this token id, or null. */
export async function passportOfToken(db: Knex, tokenId: string): Promise<string | null> {
  const row = await db('passports').where('token_id', tokenId).whereNot('status', 'draft').first<{ id: string } | undefined>('id')
  return row?.id ?? null
}
