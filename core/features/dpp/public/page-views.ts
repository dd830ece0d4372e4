import type { Knex } from 'knex'
import { networks } from '../../../chains/networks.ts'
import type { Context } from '../../../kernel/work.ts'
import { chooseLanguage, readAnyApplication, type Theme } from '../../applications/index.ts'
import {
  hasActiveClaim,
  type Passport,
  parseTokenBytes,
  PassportRow,
  tokenBytesSql,
  presentPassport,
  readWithdrawals,
  type Withdrawal,
} from '../passports/index.ts'
import { isObject } from '../fields/index.ts'
import { findGtin, getUntpFields } from '../content/index.ts'
import {
  findFieldPictures,
  findPictures,
  listThemeAddresses,
  maxShownPictures,
  type ProductPicture,
  readServedPictures,
  type ServedPicture,
} from '../pictures/index.ts'
import { isUnspent, verifyMagicToken } from '../claims/index.ts'
import { listOwnership, type Ownership } from '../tokens/index.ts'
import { labelProductValues } from './page-product.ts'
import { labelData, labelFields, type LabelledValue } from './page-values.ts'
import { SheetRow } from '../sheets/index.ts'

/** A picture of a product, and its sizes at addresses of ours once they are there. */
export interface ViewPicture extends ProductPicture {
  served: ServedPicture | null
}

/** Everything of a passport that is public, prepared for a page. */
export interface PassportView {
  passport: Passport
  /** The CAIP-2 id of the passport's network. */
  caip2: string
  title: string
  /** The first of the pictures, an https address. */
  image: string | null
  pictures: readonly ViewPicture[]
  /** The members of the product as UNTP names them; none for a passport of a sheet. */
  product: LabelledValue[]
  /** The fields of the sheet, or the data beside the product. */
  values: LabelledValue[]
  /** The model and the batch, if they are public. */
  parents: { kind: 'model' | 'batch'; id: string; title: string }[]
  ownership: Ownership[]
  application: {
    id: string
    slug: string
    name: string
    title: string
    websiteUrl: string | null
    theme: Theme
    /** The logo at addresses of ours; null if there is none, or none yet. A preview leaves it out. */
    logo?: ServedPicture | null
    /** The wide picture of the brand, likewise. */
    banner?: ServedPicture | null
  }
  organization: string
  claimable: boolean
  /** The account that claimed the passport; it is shown to nobody. */
  holder: string | null
  /** The GTIN of the passport, or of its batch or model, with 14 digits. */
  gtin: string | null
  /** Revocations and suspensions of the passport, of its batch and of its model. */
  withdrawals: readonly Withdrawal[]
}

/**
 * Reads a passport as its public page shows it; null for a draft and for a passport that does not exist.
 * @param language the language of the reader, for labels that are said in several
 */
export async function readPassportView(db: Knex, id: string, language = 'en'): Promise<PassportView | null> {
  const row = await PassportRow.query(db).modify('shown').findById(id)
  if (!row || row.status === 'draft') return null
  const passport = presentPassport(row, 'public')
  const application = await readAnyApplication(db, row.application)
  const content =
    row.sheet === null
      ? createProductContent(row, passport)
      : await readSheetContent(db, row, chooseLanguage(application.theme, language))
  if (!content) return null
  const [ownership, taken, withdrawn] = await Promise.all([
    listOwnership(db, id),
    hasActiveClaim(db, id),
    readWithdrawals(db, [id]),
  ])
  const withdrawals = withdrawn.get(id) ?? []
  const served = await readServedPictures(
    db,
    { organization: row.organization, passport: id },
    listShownAddresses(content.pictures, application.theme),
  )
  return {
    ...content,
    pictures: content.pictures.map((one) => ({ ...one, served: served.get(one.address) ?? null })),
    passport,
    caip2: networks[passport.network].caip2,
    gtin: findViewGtin(passport),
    holder: row.mintedTo,
    ownership,
    organization: row.organization,
    application: {
      id: application.id,
      slug: application.slug,
      name: application.name,
      title: application.theme.title ?? application.name,
      websiteUrl: application.websiteUrl,
      theme: application.theme,
      logo: served.get(application.theme.logoUrl ?? '') ?? null,
      banner: served.get(application.theme.bgImageUrl ?? '') ?? null,
    },
    claimable: row.status === 'published' && content.claimable && !taken && withdrawals.length === 0,
    withdrawals,
  }
}

function findViewGtin({ product, batch, model }: Passport): string | null {
  return isObject(product)
    ? findGtin(product, ...[batch, model].flatMap((parent) => (parent ? [parent.product] : [])))
    : null
}

/** Lists the addresses of the pictures that the page of a passport shows, with those of its application. */
export const listShownAddresses = (pictures: readonly ProductPicture[], theme: Theme): string[] => [
  ...pictures.slice(0, maxShownPictures).map(({ address }) => address),
  ...listThemeAddresses(theme),
]

interface ViewContent extends Pick<PassportView, 'title' | 'image' | 'product' | 'values' | 'parents' | 'claimable'> {
  pictures: readonly ProductPicture[]
}

async function readSheetContent(
  db: Knex,
  { sheet: id, fields }: PassportRow,
  language: string,
): Promise<ViewContent | null> {
  const sheet = id === null ? undefined : await SheetRow.query(db).findById(id)
  if (!sheet) return null
  const values = labelSheetFields(sheet, fields, language)
  const claimable = sheet.status === 'ACTIVE' || sheet.status === 'UNLISTED'
  const pictures = findFieldPictures(sheet, fields, [language])
  return { title: sheet.name, values, ...listPictures(pictures), product: [], parents: [], claimable }
}

/**
 * Labels all values of a passport as its organization sees them: the fields of its sheet, or the members of its product
 * and its data.
 * @param sheet null for a passport that describes its product itself
 * @param language the language of the reader
 */
export function labelOwnValues(
  sheet: Pick<SheetRow, 'productFields' | 'passportsFields' | 'fields'> | null,
  { product, fields = {}, data = {} }: Passport,
  language: string,
): LabelledValue[] {
  if (sheet) return labelSheetFields(sheet, fields, language)
  const members = labelFields(getUntpFields(), isObject(product) ? product : {}, { parts: ['product'] })
  return [...members, ...Object.entries(data).map(([name, value]) => labelData(name, value))]
}

const labelSheetFields = (
  sheet: Pick<SheetRow, 'productFields' | 'passportsFields' | 'fields'>,
  fields: PassportRow['fields'],
  language?: string,
): LabelledValue[] => {
  const reader = language !== undefined && { language }
  return [
    ...labelFields(sheet.productFields, sheet.fields, { parts: ['product', 'data'], ...reader }),
    ...labelFields(sheet.passportsFields, fields, { parts: ['data'], ...reader }),
  ]
}

const listPictures = (pictures: readonly ProductPicture[]) => ({ pictures, image: pictures[0]?.address ?? null })

function createProductContent(row: PassportRow, { data: values, model, batch }: Passport): ViewContent {
  const product = row.product ?? {}
  const data = Object.entries(values ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => labelData(name, value))
  const parents = [
    { kind: 'model' as const, parent: model },
    { kind: 'batch' as const, parent: batch },
  ]
  return {
    title: String(product['name']),
    product: labelProductValues(product),
    values: data,
    ...listPictures(findPictures(product)),
    parents: parents.flatMap(({ kind, parent }) =>
      parent ? [{ kind, id: parent.id, title: String(parent.product['name']) }] : [],
    ),
    claimable: product['idGranularity'] === 'item',
  }
}

/**
 * Reads the passport of a magic token and checks whether the token still works.
 * @throws DPP_MAGIC_TOKEN_INVALID for a forged token
 */
export async function readTokenView(
  context: Context,
  token: string,
  language: string,
): Promise<{ view: PassportView | null; works: boolean }> {
  const shown = await verifyMagicToken(context, token)
  const [view, works] = await Promise.all([
    readPassportView(context.db, shown.passport, language),
    isUnspent(context.db, shown),
  ])
  return { view, works: works && view !== null && view.claimable }
}

/**
 * Finds the identifier of the public passport with this token id; null if there is none.
 * @param tokenId `0x` and 64 hexadecimal digits
 */
export async function findPassportByToken(db: Knex, tokenId: string): Promise<string | null> {
  const row = await db('passports')
    .whereRaw(`${tokenBytesSql} = ?`, [parseTokenBytes(tokenId)])
    .whereNot('status', 'draft')
    .first<{ id: string } | undefined>('id')
  return row?.id ?? null
}
