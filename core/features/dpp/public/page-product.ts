import { isObject } from '../fields/index.ts'
import type { LabelledValue, LabelledMember } from './page-values.ts'

/** A document that belongs to a product. */
export interface ProductDocument {
  href: string
  title: string
  type: string | null
}

type Product = Readonly<Record<string, unknown>>

const isHttpsUrl = (value: unknown): value is string => typeof value === 'string' && /^https:\/\/[^\s]+$/i.test(value)
const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const findName = (value: unknown, ...names: string[]): string | null =>
  isObject(value) ? (names.map((name) => toText(value[name])).find((found) => found !== null) ?? null) : null

/** Formats the items of a list in a few words. Items without words are left out; null if none is left. */
function formatList(value: unknown, formatItem: (item: unknown) => string | null): string[] | null {
  const words = Array.isArray(value) ? value.map(formatItem).filter((found) => found !== null) : []
  return words.length > 0 ? words : null
}

function formatMaterial(item: unknown): string | null {
  const name = findName(item, 'name')
  const share = isObject(item) ? item['massFraction'] : undefined
  return name !== null && typeof share === 'number' ? `${name} ${Math.round(share * 100)} %` : name
}

/** The functions that format each member; they return null if there is nothing to show. Source: UNTP 0.7.0, Product. */
const memberFormatters: Record<LabelledMember, (value: unknown) => Pick<LabelledValue, 'type' | 'value'> | null> = {
  description: (value) => toTypedValue('text', toText(value)),
  modelNumber: (value) => toTypedValue('string', toText(value)),
  batchNumber: (value) => toTypedValue('string', toText(value)),
  itemNumber: (value) => toTypedValue('string', toText(value)),
  gtin: (value) => toTypedValue('string', toText(value)),
  productionDate: (value) => toTypedValue('date', toText(value)),
  expiryDate: (value) => toTypedValue('date', toText(value)),
  countryOfProduction: (value) => toTypedValue('string', findName(value, 'countryName', 'countryCode')),
  producedAtFacility: (value) => toTypedValue('string', findName(value, 'name')),
  productCategory: (value) =>
    toTypedValue(
      'array',
      formatList(value, (item) => findName(item, 'name', 'code')),
    ),
  materialProvenance: (value) => toTypedValue('array', formatList(value, formatMaterial)),
}

const toTypedValue = (type: LabelledValue['type'], value: unknown) => (value === null ? null : { type, value })

/** Labels the members of a product that people look for. */
export const labelProductValues = (product: Product): LabelledValue[] =>
  (Object.keys(memberFormatters) as LabelledMember[]).flatMap((name) => {
    const typedValue = Object.hasOwn(product, name) ? memberFormatters[name](product[name]) : null
    return typedValue
      ? [{ name, label: name, term: name, ...typedValue, raw: product[name], parts: ['product'] as const }]
      : []
  })

/** Finds the picture of a product, an https address; null if there is none. */
export function findPicture(product: Product): string | null {
  const picture = isObject(product['productImage']) ? product['productImage']['linkURL'] : null
  return isHttpsUrl(picture) ? picture : null
}

/** Collects the documents of a product that can be read over https. */
export function collectDocuments(product: Product): ProductDocument[] {
  const links = Array.isArray(product['relatedDocument']) ? product['relatedDocument'] : []
  return links.flatMap((link: unknown) => {
    const href = isObject(link) ? link['linkURL'] : null
    if (!isHttpsUrl(href) || !URL.canParse(href)) return []
    return [{ href, title: findName(link, 'linkName') ?? new URL(href).hostname, type: findName(link, 'mediaType') }]
  })
}
