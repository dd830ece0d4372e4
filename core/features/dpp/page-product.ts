import { isObject } from './fields.judges.ts'
import type { LabelledValue, ToldMember } from './page-values.ts'

/** A document that belongs to a product. */
export interface ProductDocument { href: string; title: string; type: string | null }

type Product = Readonly<Record<string, unknown>>

const isSecure = (value: unknown): value is string => typeof value === 'string' && /^https:\/\/[^\s]+$/i.test(value)
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const nameIn = (value: unknown, ...names: string[]): string | null =>
  isObject(value) ? names.map((name) => text(value[name])).find((found) => found !== null) ?? null : null

/** The items of a list in a few words, those without any left out; null where none is left. */
function listed(value: unknown, word: (item: unknown) => string | null): string[] | null {
  const words = Array.isArray(value) ? value.map(word).filter((found) => found !== null) : []
  return words.length > 0 ? words : null
}

function material(item: unknown): string | null {
  const name = nameIn(item, 'name')
  const share = isObject(item) ? item['massFraction'] : undefined
  return name !== null && typeof share === 'number' ? `${name} ${Math.round(share * 100)} %` : name
}

/** How each member is told; null where there is nothing to tell. Source: UNTP 0.7.0, Product. */
const tellers: Record<ToldMember, (value: unknown) => Pick<LabelledValue, 'type' | 'value'> | null> = {
  description: (value) => given('text', text(value)),
  modelNumber: (value) => given('string', text(value)),
  batchNumber: (value) => given('string', text(value)),
  itemNumber: (value) => given('string', text(value)),
  gtin: (value) => given('string', text(value)),
  productionDate: (value) => given('date', text(value)),
  expiryDate: (value) => given('date', text(value)),
  countryOfProduction: (value) => given('string', nameIn(value, 'countryName', 'countryCode')),
  producedAtFacility: (value) => given('string', nameIn(value, 'name')),
  productCategory: (value) => given('array', listed(value, (item) => nameIn(item, 'name', 'code'))),
  materialProvenance: (value) => given('array', listed(value, material)),
}

const given = (type: LabelledValue['type'], value: unknown) => (value === null ? null : { type, value })

/** What people look for of a product. */
export const productValues = (product: Product): LabelledValue[] =>
  (Object.keys(tellers) as ToldMember[]).flatMap((name) => {
    const told = Object.hasOwn(product, name) ? tellers[name](product[name]) : null
    return told ? [{ name, label: name, term: name, ...told, raw: product[name], parts: ['product'] as const }] : []
  })

/** The picture of a product, an https address; null where there is none. */
export function pictureOf(product: Product): string | null {
  const picture = isObject(product['productImage']) ? product['productImage']['linkURL'] : null
  return isSecure(picture) ? picture : null
}

/** Its documents that can be read over https. */
export function documentsOf(product: Product): ProductDocument[] {
  const links = Array.isArray(product['relatedDocument']) ? product['relatedDocument'] : []
  return links.flatMap((link: unknown) => {
    const href = isObject(link) ? link['linkURL'] : null
    if (!isSecure(href) || !URL.canParse(href)) return []
    return [{ href, title: nameIn(link, 'linkName') ?? new URL(href).hostname, type: nameIn(link, 'mediaType') }]
  })
}
