import type { Correspondence } from './suggestions.schema.ts'

/** Returns whether a suggestion is to be filled in; a suggestion of low confidence is only offered. */
export const isFilled = ({ confidence }: Correspondence) => confidence !== 'low'

/** Finds the suggestion that fills a destination. */
export const findFilled = (rows: readonly Correspondence[], path: string): Correspondence | undefined =>
  rows.find((row) => isFilled(row) && row.destination === path)

export const createConstant = (
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

/**
 * Creates a further use of a column that has a destination already, as a template. There is none for a heading that a
 * template cannot name.
 */
export function createFurtherUse(
  destination: string,
  source: string,
  evidence: string,
  transforms: string[] = [],
): Correspondence[] {
  if (source.includes('{{') || source.includes('}}')) return []
  return [{ ...createConstant(destination, `{{${source}}}`, 'review', evidence), kind: 'template', transforms }]
}

/** Lowers a suggestion that was sure, and adds to its evidence why. */
export function lowerConfidence(
  row: Correspondence,
  why: string,
  confidence: Correspondence['confidence'] = 'review',
): Correspondence {
  const text = why.replace(/\.\.$/, '.')
  return { ...row, confidence: row.confidence === 'low' ? 'low' : confidence, evidence: `${row.evidence} ${text}` }
}

export const shortenName = (name: string | null) =>
  name !== null && name.length > 80 ? `${name.slice(0, 79)}…` : (name ?? '')

/** Where values go that cannot stand in their own place, because the object there cannot be completed, or refuses them. */
export const asides: Readonly<Record<string, string>> = {
  'product.gtin': 'data.barcode',
  'product.id': 'data.link',
  'product.modelNumber': 'data.modelNumber',
  'product.batchNumber': 'data.batchNumber',
  'product.itemNumber': 'data.serialNumber',
  'product.productionDate': 'data.productionDate',
  'product.expiryDate': 'data.expiryDate',
  'product.countryOfProduction.countryCode': 'data.countryOfProduction',
  'product.producedAtFacility.id': 'data.facilityId',
  'product.producedAtFacility.name': 'data.facility',
  'product.productImage.linkURL': 'data.picture',
  'product.relatedDocument[0].linkURL': 'data.document',
  'product.productCategory[0].code': 'data.categoryCode',
  'product.productCategory[0].name': 'data.category',
  'product.dimensions.weight.value': 'data.weight',
  'product.dimensions.length.value': 'data.length',
  'product.dimensions.width.value': 'data.width',
  'product.dimensions.height.value': 'data.height',
  'product.materialProvenance[0].name': 'data.material',
  'product.materialProvenance[0].massFraction': 'data.materialShare',
  'product.materialProvenance[0].recycledMassFraction': 'data.recycledShare',
}

/** The asides that are numbers too. */
const numberAsides: ReadonlySet<string> = new Set(
  ['weight', 'length', 'width', 'height', 'materialShare', 'recycledShare'].map((name) => `data.${name}`),
)

/** Moves a suggestion to where its values can stand as plain ones; it is only offered if they can nowhere. */
export function moveAside(row: Correspondence, rows: readonly Correspondence[], why: string): Correspondence {
  const aside = row.kind === 'field' ? asides[row.destination] : undefined
  if (aside === undefined || findFilled(rows, aside)) return lowerConfidence(row, why, 'low')
  const transforms = numberAsides.has(aside) ? row.transforms : ['trim']
  return { ...lowerConfidence(row, why), destination: aside, transforms }
}

/** Removes what was added beside a column, as its unit, if the column is not in the same object any more. */
export function removeOrphans(rows: readonly Correspondence[]): Correspondence[] {
  const getParent = ({ destination }: Correspondence) => destination.slice(0, destination.lastIndexOf('.'))
  const parents = new Set(rows.filter((row) => isFilled(row) && row.kind === 'field').map(getParent))
  return rows.filter((row) => row.kind === 'field' || !getParent(row).includes('.') || parents.has(getParent(row)))
}
