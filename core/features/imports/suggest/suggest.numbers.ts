import type { Columns } from './columns.ts'
import { readValues } from './lexical/lexical.values.ts'
import {
  createConstant,
  createFurtherUse,
  findFilled,
  lowerConfidence,
  moveAside,
  shortenName,
} from './suggest.rows.ts'
import type { Correspondence, MappingQuestion, SourceField } from './suggestions.schema.ts'

export type Granularity = NonNullable<MappingQuestion['granularity']>

/** The least share of rows with a number of their own for the rows to be what has such a number. */
const minNumbered = 0.7

const numbers = { model: 'product.modelNumber', batch: 'product.batchNumber', item: 'product.itemNumber' } as const

/** The numbers that name something smaller than a row: it cannot have them. */
const foreignNumbers: Readonly<Record<Granularity, readonly string[]>> = {
  model: [numbers.batch, numbers.item],
  batch: [numbers.item],
  item: [],
}

/** Where the number of a model may be found, the likeliest first. */
const numberSources = [numbers.model, 'data.sku', 'reference', 'product.gtin']

/** Where a name may be found if no column has one, the likeliest first. */
const nameSources = [
  'data.category',
  'data.modelNumber',
  numbers.model,
  'data.sku',
  numbers.item,
  'product.description',
]

/**
 * Finds what a row is, and the numbers that it has to have: of several columns the one is taken whose values tell the
 * rows apart. Numbers of something smaller go where they can stand as plain values.
 * @param wanted what a row is, if it is known
 */
export function completeNumbers(
  rows: readonly Correspondence[],
  columns: Columns,
  { wanted, label }: { wanted: Granularity | undefined; label: string },
): Correspondence[] {
  const ofProducts = rows.some((row) => row.confidence !== 'low' && /^(?:product|data)\./.test(row.destination))
  if (!ofProducts) return [...rows]
  if (findFilled(rows, 'product.idGranularity')) return completeName(rows, columns)
  const [granularity, why] = wanted ? ([wanted, 'so it was said'] as const) : findGranularity(rows, columns)
  const kept = rows.map((row) =>
    row.confidence !== 'low' && foreignNumbers[granularity].includes(row.destination)
      ? moveAside(row, rows, `It is no number of a ${granularity}, which each row is.`)
      : row,
  )
  const numbered = granularity === 'item' ? fillItemNumber(kept, columns) : fillModelNumber(kept, columns, granularity)
  return [
    ...completeName(numbered, columns),
    createConstant('product.idGranularity', granularity, 'review', `${label}: ${why}.`),
  ]
}

/** Finds what a row is, and why. */
export function findGranularity(rows: readonly Correspondence[], columns: Columns): [Granularity, why: string] {
  const isNumbered = ({ source }: Correspondence, mustBeUnique: boolean) =>
    (columns.getFilledShare(source ?? '') ?? 1) >= minNumbered
    && (!mustBeUnique || columns.isUnique(source ?? '') !== false)
  const item = findFilled(rows, numbers.item)
  if (item && isNumbered(item, true)) return ['item', 'a column holds serial numbers']
  const batch = findFilled(rows, numbers.batch)
  if (batch && isNumbered(batch, false)) {
    return ['batch', 'a column holds numbers of batches, and none serial numbers']
  }
  return ['model', 'no column holds numbers of batches or serial numbers']
}

function fillItemNumber(rows: Correspondence[], columns: Columns): Correspondence[] {
  if (findFilled(rows, numbers.item)) return rows
  const known = numberSources.flatMap((path) => findFilled(rows, path)?.source ?? [])
  const looksLikeNumber = (field: SourceField) =>
    (['code', 'integer', 'uuid'] as const).some((look) => readValues(field).looks.has(look))
  const others = columns.fields.filter(looksLikeNumber).map(({ id }) => id)
  const source = [...known, ...others].find((id) => columns.isUnique(id) === true && columns.getFilledShare(id) === 1)
  return source === undefined
    ? rows
    : [...rows, ...createFurtherUse(numbers.item, source, explainNumber('serial number', source))]
}

const explainNumber = (noun: string, source: string) =>
  `Number of the row: “${shortenName(source)}” stands for its ${noun}, as each row has one of its own.`

/** Fills the number of the model. Rows that are models need one each: otherwise only the first of them would be stored. */
function fillModelNumber(rows: Correspondence[], columns: Columns, granularity: Granularity): Correspondence[] {
  const named = findFilled(rows, numbers.model)
  const hasOwn = (source: string | null | undefined) => typeof source === 'string' && columns.isUnique(source) !== false
  if (named && (granularity === 'batch' || hasOwn(named.source))) return rows
  const found = numberSources.flatMap((path) => findFilled(rows, path) ?? []).filter((row) => row !== named)
  const complete = found.filter(({ source }) => (columns.getFilledShare(source ?? '') ?? 1) >= minNumbered)
  const [source] = [...complete.filter((one) => hasOwn(one.source)), ...(named ? [] : complete)].map(
    (one) => one.source,
  )
  if (typeof source !== 'string') return rows
  const others = named
    ? rows.map((row) => (row === named ? moveAside(row, rows, 'Several rows have the same one.') : row))
    : rows
  return [...others, ...createFurtherUse(numbers.model, source, explainNumber('number', source))]
}

/** The most characters of a description that can be a name. */
const maxNameLength = 100

/** Fills the name, without which nothing can be made: with a short description, or the best that there is instead. */
function completeName(rows: readonly Correspondence[], columns: Columns): Correspondence[] {
  if (findFilled(rows, 'product.name')) return [...rows]
  const description = findFilled(rows, 'product.description')
  if (description && columns.getValues(description.source ?? '').every((text) => text.length <= maxNameLength)) {
    const why = 'No column has names, and its texts are short: it is the name.'
    return rows.map((row) =>
      row === description ? { ...lowerConfidence(row, why), destination: 'product.name' } : row,
    )
  }
  const source = nameSources.map((path) => findFilled(rows, path)?.source).find((one) => typeof one === 'string')
  if (typeof source !== 'string') return [...rows]
  const evidence = `Name of the product: no column has names, so “${shortenName(source)}” stands for it.`
  return [...rows, ...createFurtherUse('product.name', source, evidence)]
}
