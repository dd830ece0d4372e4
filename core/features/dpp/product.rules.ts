import type { Violation } from '../../kernel/problem.ts'
import { isLinkAddress } from '../../kernel/text/addresses.ts'
import { contentFaults } from '../certification/index.ts'
import { judgeContent } from './data.rules.ts'
import { jsonJudge } from './json.judges.ts'
import { Product, numberNames, type Granularity } from './product.schema.ts'
import { judgeUntp } from './untp.ts'

type NumberName = (typeof numberNames)[number]

/** The numbers that each granularity needs, and those it cannot have: they would name something smaller. */
const numbers: Record<Granularity, { needed: readonly NumberName[]; foreign: readonly NumberName[] }> = {
  model: { needed: ['modelNumber'], foreign: ['batchNumber', 'itemNumber'] },
  batch: { needed: ['modelNumber', 'batchNumber'], foreign: ['itemNumber'] },
  item: { needed: ['itemNumber'], foreign: [] },
}

/** The members that are documented; a patched product was not judged by them yet. */
const judgeMembers = jsonJudge(() => Product)

/** Members of UNTP's product that are made when a credential is. */
const ours = ['type', 'characteristics']

/**
 * What keeps an object from being the product of a passport. Identifiers as GTINs are not judged, nor whether members
 * that UNTP demands are there. @param at path of the product. @param refused names that the kept context of UNTP protects
 */
export function judgeProduct(product: Record<string, unknown>, at = 'product', refused?: ReadonlySet<string>): Violation[] {
  const { violations, bytes } = judgeContent(product, at)
  if (violations.length > 0) return violations
  const made = ours.filter((name) => Object.hasOwn(product, name)).map((name) =>
    ({ path: `${at}.${name}`, code: 'reserved', message: 'is made with the credential and cannot be sent' }))
  const judged = { ...product }
  for (const name of ours) delete judged[name]
  const found = [
    ...made, ...judgeNumbers(product, at), ...judgeLinks(judged, at), ...judgeMembers(judged, at, bytes), ...judgeUntp(judged, at, bytes),
  ]
  if (found.length > 0) return [...new Map(found.map((one) => [`${one.path} ${one.code}`, one])).values()]
  // A product is certified as a whole, so what would keep it from that is refused here.
  return contentFaults({ product: judged, data: {} }, refused)
}

/** Members of UNTP that people follow; of others an identifier may stand that leads nowhere by itself. */
const linkMembers = new Set(['linkURL', 'organisationWebsite'])

/** Finds addresses in a product that are no link for people. */
function judgeLinks(value: unknown, at: string): Violation[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => judgeLinks(item, `${at}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const path = `${at}.${name.slice(0, 100)}`
    if (!linkMembers.has(name) || typeof member !== 'string') return judgeLinks(member, path)
    return isLinkAddress(member) ? [] : [{ path, code: 'format', message: 'must be an https, http or ipfs address' }]
  })
}

function judgeNumbers(product: Record<string, unknown>, at: string): Violation[] {
  const granularity = product['idGranularity']
  const known = typeof granularity === 'string' && Object.hasOwn(numbers, granularity)
  if (!known) return []
  const { needed, foreign } = numbers[granularity as Granularity]
  const there = (name: string) => Object.hasOwn(product, name)
  return [
    ...needed.filter((name) => !there(name)).map((name) =>
      ({ path: `${at}.${name}`, code: 'required', message: `is missing: ${article(granularity)} has one` })),
    ...foreign.filter(there).map((name) =>
      ({ path: `${at}.${name}`, code: 'granularity', message: `is nothing that ${article(granularity)} has` })),
  ]
}

const article = (granularity: string) => `${granularity === 'item' ? 'an' : 'a'} ${granularity}`

export const identityNames = ['idGranularity', ...numberNames] as const

/** What tells products of an application apart: granularity and numbers, null where there is none. */
export function identityOf(product: Record<string, unknown>): (string | null)[] {
  return identityNames.map((name) => {
    const value = product[name]
    return typeof value === 'string' ? value : null
  })
}
