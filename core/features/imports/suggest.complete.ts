import { destinations } from './destinations.ts'
import { readName } from './lexical.names.ts'
import type { Correspondence, SourceField } from './suggestions.schema.ts'

/** A suggestion that is to be filled in: the others are only offered. */
const isFilled = ({ confidence }: Correspondence) => confidence !== 'low'

/**
 * Adds the constants without which every row would fail that the suggested ones make: what a row is, the unit of a
 * measure as its heading says it, the title of an address. What cannot be known is told of the column that needs it.
 */
export function completeSuggestion(rows: readonly Correspondence[], fields: readonly SourceField[]): Correspondence[] {
  const filled = rows.filter(isFilled)
  const has = (path: string) => filled.some(({ destination }) => destination === path)
  const granularity = filled.some(({ destination }) => destination.startsWith('product.')) && !has('product.idGranularity')
    ? [granularityOf(has)] : []
  const constants = [...granularity, ...filled.flatMap((row) => [...unitOf(row, has), ...titleOf(row, has)])]
  const taken = new Set(constants.map(({ destination }) => destination))
  // A doubtful column would get in the way of the constant.
  const left = rows.filter((row) => isFilled(row) || !taken.has(row.destination))
  return [...left.map((row) => advised(row, has, fields)), ...constants]
}

const constant = (destination: string, value: string, confidence: Correspondence['confidence'], evidence: string): Correspondence =>
  ({ destination, source: null, kind: 'constant', value, transforms: [], confidence, evidence, origin: 'lexical' })

function granularityOf(has: (path: string) => boolean): Correspondence {
  const [value, why] = has('product.itemNumber') ? ['item', 'a column holds serial numbers']
    : has('product.batchNumber') ? ['batch', 'a column holds numbers of batches, and none serial numbers']
    : ['model', 'no column holds numbers of batches or serial numbers']
  return constant('product.idGranularity', value, 'review', `${labelOf('product.idGranularity')}: ${why}.`)
}

/** Codes of units by how headings write them. Source: UN/ECE Recommendation 20. */
const unitCodes: Readonly<Record<string, string>> = {
  kg: 'KGM', kilo: 'KGM', kilos: 'KGM', kilogram: 'KGM', kilogramm: 'KGM', kilogramme: 'KGM', g: 'GRM', gr: 'GRM', gramm: 'GRM', gram: 'GRM',
  grams: 'GRM', grammes: 'GRM', mg: 'MGM', lb: 'LBR', lbs: 'LBR', oz: 'ONZ', mm: 'MMT', millimeter: 'MMT', cm: 'CMT', centimeter: 'CMT',
  dm: 'DMT', m: 'MTR', meter: 'MTR', in: 'INH', inch: 'INH', inches: 'INH', zoll: 'INH', ft: 'FOT',
}

const measured = /^(product\.dimensions\.\w+)\.value$/

/** The code of the unit that a heading names last, as in `Gewicht (kg)`. */
function unitIn(heading: string): { word: string; code: string } | undefined {
  if (readName(heading).unit === null) return undefined
  const word = heading.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^\p{L}]+/u).filter((one) => Object.hasOwn(unitCodes, one)).at(-1)
  return word === undefined ? undefined : { word, code: unitCodes[word] as string }
}

function unitOf({ destination, source }: Correspondence, has: (path: string) => boolean): Correspondence[] {
  const path = measured.exec(destination)?.[1]
  if (path === undefined || has(`${path}.unit`)) return []
  const unit = unitIn(source ?? '')
  if (!unit) return []
  return [constant(`${path}.unit`, unit.code, 'high', `Unit of it: the name “${shortly(source)}” says ${unit.word}, in UN/ECE Rec 20 ${unit.code}.`)]
}

const titles: Readonly<Record<string, string>> = { 'product.productImage.linkURL': 'Product image', 'product.relatedDocument[0].linkURL': 'Document' }

function titleOf({ destination, source }: Correspondence, has: (path: string) => boolean): Correspondence[] {
  const title = titles[destination]
  const path = destination.replace(/linkURL$/, 'linkName')
  if (title === undefined || has(path)) return []
  return [constant(path, title, 'review', `${labelOf(path)}: an address needs a title, and no column has one for “${shortly(source)}”.`)]
}

/** Tells of a measure without unit what is still missing. */
function advised(row: Correspondence, has: (path: string) => boolean, fields: readonly SourceField[]): Correspondence {
  const path = measured.exec(row.destination)?.[1]
  if (path === undefined || has(`${path}.unit`) || unitIn(row.source ?? '') || fields.length === 0) return row
  const evidence = `${row.evidence} Neither its name nor a column says the unit: add a constant for ${path}.unit, as KGM or CMT.`
  return { ...row, evidence, confidence: row.confidence === 'high' ? 'review' : row.confidence }
}

const shortly = (name: string | null) => (name !== null && name.length > 80 ? `${name.slice(0, 79)}…` : name ?? '')
const labelOf = (path: string) => destinations.find((one) => one.path === path)?.label ?? path
