import type { Issue } from '../../../kernel/problem.ts'
import { isLinkAddress } from '../../../kernel/text/addresses.ts'
import { validateCertifiedContent } from '../../certification/index.ts'
import { validateContent } from './data.rules.ts'
import { createJsonValidator } from '../../../kernel/json/schema-validators.ts'
import { Product, numberNames, type Granularity } from './product.schema.ts'
import { validateUntp } from './untp.ts'

type NumberName = (typeof numberNames)[number]

/** The numbers that each granularity needs, and those that it cannot have because they would name something smaller. */
const numbersByGranularity: Record<Granularity, { needed: readonly NumberName[]; foreign: readonly NumberName[] }> = {
  model: { needed: ['modelNumber'], foreign: ['batchNumber', 'itemNumber'] },
  batch: { needed: ['modelNumber', 'batchNumber'], foreign: ['itemNumber'] },
  item: { needed: ['itemNumber'], foreign: [] },
}

/**
 * The validator of the documented members. It is needed for patched products, which no request schema has validated.
 */
const validateMembers = createJsonValidator(() => Product)

/** The members of UNTP's product that are generated with a credential. */
const generatedMembers = ['type', 'characteristics']

/**
 * Validates the product of a passport. It validates neither identifiers such as GTINs nor whether members that UNTP
 * requires are present.
 * @param at the path of the product
 * @param protectedTerms names that the stored JSON-LD context of UNTP protects
 */
export function validateProduct(
  product: Record<string, unknown>,
  at = 'product',
  protectedTerms?: ReadonlySet<string>,
): Issue[] {
  const { issues, bytes } = validateContent(product, at)
  if (issues.length > 0) return issues
  const generatedIssues = generatedMembers
    .filter((name) => Object.hasOwn(product, name))
    .map((name) => ({
      path: `${at}.${name}`,
      code: 'reserved',
      message: 'is made with the credential and cannot be sent',
    }))
  const sentProduct = { ...product }
  for (const name of generatedMembers) delete sentProduct[name]
  const found = [
    ...generatedIssues,
    ...validateNumbers(product, at),
    ...validateLinks(sentProduct, at),
    ...validateMembers(sentProduct, at, bytes),
    ...validateUntp(sentProduct, at, bytes),
  ]
  if (found.length > 0) return [...new Map(found.map((one) => [`${one.path} ${one.code}`, one])).values()]
  // A product is certified as a whole, so anything that could not be certified is refused here.
  return validateCertifiedContent({ product: sentProduct, data: {} }, protectedTerms)
}

/**
 * The members of UNTP whose addresses people follow. Other members may have identifiers that lead nowhere by
 * themselves.
 */
const linkMemberNames = new Set(['linkURL', 'organisationWebsite'])

/** Finds addresses in a product that people cannot follow as links. */
function validateLinks(value: unknown, at: string): Issue[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => validateLinks(item, `${at}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const path = `${at}.${name.slice(0, 100)}`
    if (!linkMemberNames.has(name) || typeof member !== 'string') return validateLinks(member, path)
    return isLinkAddress(member) ? [] : [{ path, code: 'format', message: 'must be an https, http or ipfs address' }]
  })
}

function validateNumbers(product: Record<string, unknown>, at: string): Issue[] {
  const granularity = product['idGranularity']
  const known = typeof granularity === 'string' && Object.hasOwn(numbersByGranularity, granularity)
  if (!known) return []
  const { needed, foreign } = numbersByGranularity[granularity as Granularity]
  const there = (name: string) => Object.hasOwn(product, name)
  return [
    ...needed
      .filter((name) => !there(name))
      .map((name) => ({
        path: `${at}.${name}`,
        code: 'required',
        message: `is missing: ${addArticle(granularity)} has one`,
      })),
    ...foreign.filter(there).map((name) => ({
      path: `${at}.${name}`,
      code: 'granularity',
      message: `is nothing that ${addArticle(granularity)} has`,
    })),
  ]
}

const addArticle = (granularity: string) => `${granularity === 'item' ? 'an' : 'a'} ${granularity}`

export const identityMembers = ['idGranularity', ...numberNames] as const

/**
 * Returns the identity of a product within its application: its granularity and numbers, null for each that is missing.
 */
export function getIdentity(product: Record<string, unknown>): (string | null)[] {
  return identityMembers.map((name) => {
    const value = product[name]
    return typeof value === 'string' ? value : null
  })
}
