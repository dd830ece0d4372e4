import type { Knex } from 'knex'
import { networks } from '../../chains/networks.ts'
import type { Context } from '../../kernel/work.ts'
import { findAnyApplication } from '../applications/index.ts'
import { isTaken } from './claims.rules.ts'
import { isObject } from './fields.judges.ts'
import { gtinOf } from './gs1.ts'
import { isUnspent, readMagicToken } from './magic-tokens.ts'
import { ownershipOf, type Ownership } from './ownership.ts'
import { documentsOf, pictureOf, productValues, type ProductDocument } from './page-product.ts'
import { labelledData, labelledFields, type LabelledValue } from './page-values.ts'
import { PassportRow } from './passports.model.ts'
import { presentPublicly } from './passports.present.ts'
import type { Passport } from './passports.schema.ts'
import { SheetRow } from './sheets.model.ts'
import { bytesOfToken, tokenBytes } from './tokens.ts'
import { withdrawalsOf, type Withdrawal } from './withdrawals/withdrawals.ts'

/** What everyone may see of a passport, ready for a page. */
export interface PassportView {
  passport: Passport
  /** CAIP-2 id of its network. */
  caip2: string
  title: string
  /** First picture among the values, an https address. */
  image: string | null
  values: LabelledValue[]
  documents: ProductDocument[]
  /** Model and batch, where everybody may see them. */
  parents: { kind: 'model' | 'batch'; id: string; title: string }[]
  ownership: Ownership[]
  application: { id: string; name: string; title: string; websiteUrl: string | null }
  organization: string
  claimable: boolean
  /** Its GTIN, or that of its batch or model, with 14 digits. */
  gtin: string | null
  /** What the maker has revoked or suspended of it, of its batch and of its model. */
  withdrawals: readonly Withdrawal[]
}

/** A passport as its public page shows it; null for a draft and for none. */
export async function passportView(db: Knex, id: string): Promise<PassportView | null> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row || row.status === 'draft') return null
  const content = row.sheet === null ? productContent(row) : await sheetContent(db, row, row.sheet)
  if (!content) return null
  const [ownership, application, taken, withdrawn] = await Promise.all([
    ownershipOf(db, id), findAnyApplication(db, row.application), isTaken(db, id), withdrawalsOf(db, [id])])
  const withdrawals = withdrawn.get(id) ?? []
  const passport = presentPublicly(row)
  return {
    ...content, passport, caip2: networks[passport.network].caip2, gtin: gtinOfView(passport), ownership, organization: row.organization,
    application: { id: application.id, name: application.name, title: application.theme.title ?? application.name, websiteUrl: application.websiteUrl },
    claimable: row.status === 'published' && content.claimable && !taken && withdrawals.length === 0, withdrawals,
  }
}

function gtinOfView({ product, batch, model }: Passport): string | null {
  return isObject(product) ? gtinOf(product, ...[batch, model].flatMap((parent) => parent ? [parent.product] : [])) : null
}

type Content = Pick<PassportView, 'title' | 'image' | 'values' | 'documents' | 'parents' | 'claimable'>

async function sheetContent(db: Knex, { fields }: PassportRow, id: string): Promise<Content | null> {
  const sheet = await SheetRow.query(db).findById(id)
  if (!sheet) return null
  const values = [
    ...labelledFields(sheet.productFields, sheet.fields, ['product', 'data']),
    ...labelledFields(sheet.passportsFields, fields, ['data']),
  ]
  const image = values.find(({ type, value }) => type === 'image' && isSecure(value))?.value as string | undefined
  const claimable = sheet.status === 'ACTIVE' || sheet.status === 'UNLISTED'
  return { title: sheet.name, values, image: image ?? null, documents: [], parents: [], claimable }
}

const isSecure = (value: unknown): value is string => typeof value === 'string' && value.startsWith('https://')

function productContent(row: PassportRow): Content {
  const product = row.product ?? {}
  const { model, batch } = presentPublicly(row)
  // The form is evidence of a consent, nothing to read.
  const data = Object.entries(row.data ?? {})
    .filter(([name, value]) => value !== null && name !== 'opt_in_form')
    .map(([name, value]) => labelledData(name, value))
  const parents = [{ kind: 'model' as const, parent: model }, { kind: 'batch' as const, parent: batch }]
  return {
    title: String(product['name']), values: [...productValues(product), ...data], image: pictureOf(product),
    documents: documentsOf(product),
    parents: parents.flatMap(({ kind, parent }) =>
      parent ? [{ kind, id: parent.id, title: String(parent.product['name']) }] : []),
    claimable: product['idGranularity'] === 'item',
  }
}

/** What a magic token leads to, and whether it still works. @throws DPP_MAGIC_TOKEN_INVALID when it is forged */
export async function tokenView(context: Context, token: string): Promise<{ view: PassportView | null; works: boolean }> {
  const shown = await readMagicToken(context, token)
  const [view, works] = await Promise.all([passportView(context.db, shown.passport), isUnspent(context.db, shown)])
  return { view, works: works && view !== null && view.claimable }
}

/** The identifier of the public passport with this token id, or null. @param tokenId `0x` and 64 hexadecimal digits */
export async function passportOfToken(db: Knex, tokenId: string): Promise<string | null> {
  const row = await db('passports').whereRaw(`${tokenBytes} = ?`, [bytesOfToken(tokenId)]).whereNot('status', 'draft')
    .first<{ id: string } | undefined>('id')
  return row?.id ?? null
}
