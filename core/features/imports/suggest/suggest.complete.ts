import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { parseName } from './lexical/lexical.names.ts'
import type { Correspondence, SourceField } from './suggestions.schema.ts'

/** Returns whether a suggestion is to be filled in; a suggestion of low confidence is only offered. */
const isFilled = ({ confidence }: Correspondence) => confidence !== 'low'

/**
 * Adds the constants without which every row made from the suggestions would fail: the granularity of the product, the
 * unit of a measure if its heading names the unit, the title of an address. If a unit cannot be known, the evidence of
 * the column that needs it says so.
 */
export function completeSuggestion(
  rows: readonly Correspondence[],
  fields: readonly SourceField[],
  { destinations }: RecordSink,
): Correspondence[] {
  const getLabel = (path: string) => destinations.find((one) => one.path === path)?.label ?? path
  const filled = rows.filter(isFilled)
  const has = (path: string) => filled.some(({ destination }) => destination === path)
  const granularity =
    filled.some(({ destination }) => destination.startsWith('product.')) && !has('product.idGranularity')
      ? [suggestGranularity(has, getLabel)]
      : []
  const constants = [
    ...granularity,
    ...filled.flatMap((row) => [...suggestUnit(row, has), ...suggestTitle(row, has, getLabel)]),
  ]
  const taken = new Set(constants.map(({ destination }) => destination))
  // A column of low confidence would compete with the constant for the destination.
  const left = rows.filter((row) => isFilled(row) || !taken.has(row.destination))
  return [...left.map((row) => addUnitAdvice(row, has, fields)), ...constants]
}

const createConstant = (
  destination: string,
  value: string,
  confidence: Correspondence['confidence'],
  evidence: string,
): Correspondence => ({
  destination,
  source: null,
  kind: 'constant',
  value,
  transforms: [],
  confidence,
  evidence,
  origin: 'lexical',
})

function suggestGranularity(has: (path: string) => boolean, getLabel: (path: string) => string): Correspondence {
  const [value, why] = has('product.itemNumber')
    ? ['item', 'a column holds serial numbers']
    : has('product.batchNumber')
      ? ['batch', 'a column holds numbers of batches, and none serial numbers']
      : ['model', 'no column holds numbers of batches or serial numbers']
  return createConstant('product.idGranularity', value, 'review', `${getLabel('product.idGranularity')}: ${why}.`)
}

/** The codes of units by the words that headings use. Source: UN/ECE Recommendation 20. */
const unitCodes: Readonly<Record<string, string>> = {
  kg: 'KGM',
  kilo: 'KGM',
  kilos: 'KGM',
  kilogram: 'KGM',
  kilogramm: 'KGM',
  kilogramme: 'KGM',
  g: 'GRM',
  gr: 'GRM',
  gramm: 'GRM',
  gram: 'GRM',
  grams: 'GRM',
  grammes: 'GRM',
  mg: 'MGM',
  lb: 'LBR',
  lbs: 'LBR',
  oz: 'ONZ',
  mm: 'MMT',
  millimeter: 'MMT',
  cm: 'CMT',
  centimeter: 'CMT',
  dm: 'DMT',
  m: 'MTR',
  meter: 'MTR',
  in: 'INH',
  inch: 'INH',
  inches: 'INH',
  zoll: 'INH',
  ft: 'FOT',
}

const measurePattern = /^(product\.dimensions\.\w+)\.value$/

/** Finds the code of the last unit that a heading names, as in `Gewicht (kg)`. */
function findUnit(heading: string): { word: string; code: string } | undefined {
  if (parseName(heading).unit === null) return undefined
  const word = heading
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((one) => Object.hasOwn(unitCodes, one))
    .at(-1)
  return word === undefined ? undefined : { word, code: unitCodes[word] as string }
}

function suggestUnit({ destination, source }: Correspondence, has: (path: string) => boolean): Correspondence[] {
  const path = measurePattern.exec(destination)?.[1]
  if (path === undefined || has(`${path}.unit`)) return []
  const unit = findUnit(source ?? '')
  if (!unit) return []
  return [
    createConstant(
      `${path}.unit`,
      unit.code,
      'high',
      `Unit of it: the name “${shortenName(source)}” says ${unit.word}, in UN/ECE Rec 20 ${unit.code}.`,
    ),
  ]
}

const titlesByPath: Readonly<Record<string, string>> = {
  'product.productImage.linkURL': 'Product image',
  'product.relatedDocument[0].linkURL': 'Document',
}

function suggestTitle(
  { destination, source }: Correspondence,
  has: (path: string) => boolean,
  getLabel: (path: string) => string,
): Correspondence[] {
  const title = titlesByPath[destination]
  const path = destination.replace(/linkURL$/, 'linkName')
  if (title === undefined || has(path)) return []
  return [
    createConstant(
      path,
      title,
      'review',
      `${getLabel(path)}: an address needs a title, and no column has one for “${shortenName(source)}”.`,
    ),
  ]
}

/** Adds to the evidence of a measure without a unit how to add the unit. */
function addUnitAdvice(
  row: Correspondence,
  has: (path: string) => boolean,
  fields: readonly SourceField[],
): Correspondence {
  const path = measurePattern.exec(row.destination)?.[1]
  if (path === undefined || has(`${path}.unit`) || findUnit(row.source ?? '') || fields.length === 0) return row
  const evidence = `${row.evidence} Neither its name nor a column says the unit: add a constant for ${path}.unit, as KGM or CMT.`
  return { ...row, evidence, confidence: row.confidence === 'high' ? 'review' : row.confidence }
}

const shortenName = (name: string | null) =>
  name !== null && name.length > 80 ? `${name.slice(0, 79)}…` : (name ?? '')
