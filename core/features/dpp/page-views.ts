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
  /** Model and batch, where everybody may see them. */
  parents: { label: string; id: string; title: string }[]
  ownership: Ownership[]
  application: { id: string; name: string; title: string; websiteUrl: string | null }
  organization: string
  claimable: boolean
}

/** A passport as its public page shows it; null for a draft and for none. */
export async function passportView(db: Knex, id: string): Promise<PassportView | null> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row || row.status === 'draft') return null
  const content = row.sheet === null ? productContent(row) : await sheetContent(db, row, row.sheet)
  if (!content) return null
  const [ownership, application, taken] = await Promise.all([ownershipOf(db, id), findAnyApplication(db, row.application), isTaken(db, id)])
  return {
    ...content, passport: presentPublicly(row), ownership, organization: row.organization,
    application: { id: application.id, name: application.name, title: application.theme.title ?? application.name, websiteUrl: application.websiteUrl },
    claimable: row.status === 'published' && content.claimable && !taken,
  }
}

type Content = Pick<PassportView, 'title' | 'image' | 'values' | 'parents' | 'claimable'>

async function sheetContent(db: Knex, { fields }: PassportRow, id: string): Promise<Content | null> {
  const sheet = await SheetRow.query(db).findById(id)
  if (!sheet) return null
  const values = [...labelled(sheet.productFields, sheet.fields), ...labelled(sheet.passportsFields, fields)]
  const image = values.find(({ type, value }) => type === 'image' && isSecure(value))?.value as string | undefined
  const claimable = sheet.status === 'ACTIVE' || sheet.status === 'UNLISTED'
  return { title: sheet.name, values, image: image ?? null, parents: [], claimable }
}

const isSecure = (value: unknown): value is string => typeof value === 'string' && value.startsWith('https://')

/** Members of a product that people look for; the others are in its credential. */
const told = {
  description: 'Description', modelNumber: 'Model number', batchNumber: 'Batch number', itemNumber: 'Serial number',
  productionDate: 'Produced on', expiryDate: 'Expires on',
} as const

function productContent(row: PassportRow): Content {
  const product = row.product ?? {}
  const { model, batch } = presentPublicly(row)
  const values: LabelledValue[] = Object.entries(told).flatMap(([name, label]) =>
    Object.hasOwn(product, name) ? [{ label, type: 'string' as const, value: product[name] }] : [])
  // The form is evidence of a consent, nothing to read.
  const data: LabelledValue[] = Object.entries(row.data ?? {})
    .filter(([name, value]) => value !== null && name !== 'opt_in_form')
    .map(([label, value]) => ({ label, type: isAddress(value) ? 'url' : 'json', value }))
  const picture = isObject(product['productImage']) ? product['productImage']['linkURL'] : null
  const parents = [{ label: 'Model', parent: model }, { label: 'Batch', parent: batch }].flatMap(({ label, parent }) =>
    parent ? [{ label, id: parent.id, title: String(parent.product['name']) }] : [])
  return {
    title: String(product['name']), values: [...values, ...data], image: isSecure(picture) ? picture : null, parents,
    claimable: product['idGranularity'] === 'item',
  }
}

const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)

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
