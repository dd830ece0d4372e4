import type { Finding } from '../answers.types.ts'
import { createFinding } from '../readiness.table.ts'
import { getObjects, getText, type Values } from './readiness.values.ts'

/** A classification whose codes can be read. */
type ClassificationScheme = 'hs' | 'cn' | 'taric' | 'cpc'

/**
 * The patterns by which the identifier or the name of a classification is recognized. Customs nomenclatures are ordered
 * from the finest to the coarsest, because each refines the one after it.
 */
const schemePatterns: readonly (readonly [ClassificationScheme, RegExp])[] = [
  ['cpc', /\bcpc\b|central.?product.?classification/i],
  ['taric', /taric/i],
  ['cn', /\bCN\b|combined.?nomenclature/],
  ['hs', /\bHS\b|harmoni[sz]ed.?(commodity|system)/i],
]

/**
 * The patterns of codes: their number of digits and their first digits. Source: HS Convention; Regulation (EEC)
 * 2658/87; UN CPC 2.1.
 */
const codePatterns: Record<ClassificationScheme, RegExp> = {
  hs: /^(?!00|77)\d{2}(\d{2}){0,2}$/,
  cn: /^(?!00|77)\d{2}(\d{2}){0,3}$/,
  taric: /^(?!00|77)\d{2}(\d{2}){0,4}$/,
  cpc: /^\d{1,5}$/,
}

/** A category whose classification is known, with the digits of its code. */
export interface ClassifiedCategory {
  scheme: ClassificationScheme
  code: string
  index: number
  isWellFormed: boolean
}

/** Finds the categories of a product whose classification is known. */
export function findClassifiedCategories({ productCategory }: Values): ClassifiedCategory[] {
  return getObjects(productCategory).flatMap(({ code, schemeId, schemeName }, index) => {
    const [scheme] = schemePatterns.find(([, words]) => words.test(`${getText(schemeId)} ${getText(schemeName)}`)) ?? []
    if (scheme === undefined) return []
    const digits = getText(code).replaceAll(/[ .]/g, '')
    return [{ scheme, code: digits, index, isWellFormed: codePatterns[scheme].test(digits) }]
  })
}

/** Finds codes that cannot exist in their classification. */
export const validateClassifications = (product: Values): Finding[] =>
  findClassifiedCategories(product)
    .filter(({ isWellFormed }) => !isWellFormed)
    .map(({ scheme, index }) =>
      createFinding(
        'commodity_code_malformed',
        `product.productCategory[${index}].code`,
        `is no code of the ${schemeNames[scheme]}`,
        { example: exampleCodes[scheme] },
      ),
    )

/** Travel bags: the same goods in each classification. */
const exampleCodes: Record<ClassificationScheme, string> = {
  hs: '420292',
  cn: '42029291',
  taric: '4202929190',
  cpc: '29220',
}

const schemeNames: Record<ClassificationScheme, string> = {
  hs: 'Harmonized System',
  cn: 'Combined Nomenclature',
  taric: 'TARIC',
  cpc: 'Central Product Classification',
}

/** Checks whether customs use the code of a category. */
export const isOfCustoms = ({ scheme }: ClassifiedCategory): boolean => scheme !== 'cpc'
