import type { Finding } from '../open.types.ts'
import { finding } from '../readiness.table.ts'
import { objectsOf, textOf, type Values } from '../readiness.values.ts'

/** A classification by which the code of a category can be read. */
type Scheme = 'hs' | 'cn' | 'taric' | 'cpc'

/** How each is known by its identifier or its own name. The finest nomenclature of customs first, as each refines the one after it. */
const known: readonly (readonly [Scheme, RegExp])[] = [
  ['cpc', /\bcpc\b|central.?product.?classification/i],
  ['taric', /taric/i],
  ['cn', /\bCN\b|combined.?nomenclature/],
  ['hs', /\bHS\b|harmoni[sz]ed.?(commodity|system)/i],
]

/** How many digits a code has, and which it begins with. Source: HS Convention; Regulation (EEC) 2658/87; UN CPC 2.1. */
const forms: Record<Scheme, RegExp> = {
  hs: /^(?!00|77)\d{2}(\d{2}){0,2}$/, cn: /^(?!00|77)\d{2}(\d{2}){0,3}$/, taric: /^(?!00|77)\d{2}(\d{2}){0,4}$/, cpc: /^\d{1,5}$/,
}

/** A category whose classification is known, with the digits of its code. */
export interface ClassifiedCategory { scheme: Scheme; code: string; index: number; isFormed: boolean }

/** The categories of a product that can be decided by. */
export function classified({ productCategory }: Values): ClassifiedCategory[] {
  return objectsOf(productCategory).flatMap(({ code, schemeId, schemeName }, index) => {
    const [scheme] = known.find(([, words]) => words.test(`${textOf(schemeId)} ${textOf(schemeName)}`)) ?? []
    if (scheme === undefined) return []
    const digits = textOf(code).replaceAll(/[ .]/g, '')
    return [{ scheme, code: digits, index, isFormed: forms[scheme].test(digits) }]
  })
}

/** Codes that their classification cannot have. */
export const judgeClassifications = (product: Values): Finding[] =>
  classified(product).filter(({ isFormed }) => !isFormed).map(({ scheme, index }) =>
    finding('commodity_code_malformed', `product.productCategory[${index}].code`, `is no code of the ${names[scheme]}`))

const names: Record<Scheme, string> = {
  hs: 'Harmonized System', cn: 'Combined Nomenclature', taric: 'TARIC', cpc: 'Central Product Classification',
}

/** Whether customs use a category's code. */
export const isOfCustoms = ({ scheme }: ClassifiedCategory): boolean => scheme !== 'cpc'
