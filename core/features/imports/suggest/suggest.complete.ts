import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { findUnitCode, getUnitKind } from '../transforms/index.ts'
import type { Columns } from './columns.ts'
import { parseName } from './lexical/lexical.names.ts'
import { findValueUnit } from './lexical/lexical.transforms.ts'
import { completeNumbers, type Granularity } from './suggest.numbers.ts'
import {
  createConstant,
  createFurtherUse,
  findFilled,
  isFilled,
  moveAside,
  removeOrphans,
  shortenName,
} from './suggest.rows.ts'
import type { Correspondence } from './suggestions.schema.ts'

interface CompletionOptions {
  columns: Columns
  sink: RecordSink
  /** What a row is, if it is known. */
  granularity: Granularity | undefined
}

/**
 * Adds what every row needs beside the columns: what it is, with its numbers; the unit of a measure, from its heading,
 * its values or a column; the title of an address; the scheme of a category. Values whose object cannot be completed go
 * where they can stand as plain ones.
 */
export function completeSuggestion(
  rows: readonly Correspondence[],
  { columns, sink: { destinations }, granularity }: CompletionOptions,
): Correspondence[] {
  const getLabel = (path: string) => destinations.find((one) => one.path === path)?.label ?? path
  const numbered = completeNumbers(rows, columns, { wanted: granularity, label: getLabel('product.idGranularity') })
  const placed = completeCategory(numbered, getLabel)
  const filled = placed.filter(isFilled)
  const further = filled.flatMap((row) => [
    ...suggestUnit(row, placed, columns),
    ...suggestTitle(row, placed, getLabel),
  ])
  const taken = new Set(further.map(({ destination }) => destination))
  const isTaken = (row: Correspondence) => !isFilled(row) && filled.some((one) => one.destination === row.destination)
  // A column of low confidence would compete with the constant for the destination.
  const left = placed.filter((row) => isFilled(row) || !(taken.has(row.destination) || isTaken(row)))
  const all = [...left, ...further]
  return removeOrphans(all.map((row) => (isFilled(row) ? completeOrMove(row, all) : row)))
}

/** The members that the object of a destination needs beside it. Source: UNTP Digital Product Passport 0.7.0. */
const neededMembers: readonly [RegExp, readonly string[]][] = [
  [/^(product\.dimensions\.\w+)\.value$/, ['unit']],
  [/^(product\.productCategory\[0\])\.(?:code|name)$/, ['code', 'name', 'schemeId', 'schemeName']],
  [
    /^(product\.materialProvenance\[0\])\.(?:name|massFraction|recycledMassFraction)$/,
    ['name', 'massFraction', 'originCountry', 'materialType'],
  ],
  [/^(product\.producedAtFacility)\.(?:id|name)$/, ['id', 'name']],
]

const measurePattern = /^(product\.dimensions\.\w+)\.value$/

/** Moves a row whose object lacks members that nothing fills, and says what it lacks. */
function completeOrMove(row: Correspondence, rows: readonly Correspondence[]): Correspondence {
  const [pattern, needed = []] = neededMembers.find(([known]) => known.test(row.destination)) ?? []
  const parent = pattern?.exec(row.destination)?.[1]
  const lacking = needed.map((name) => `${parent}.${name}`).find((path) => !findFilled(rows, path))
  if (parent === undefined || lacking === undefined) return row
  const why = measurePattern.test(row.destination)
    ? `Neither its name nor a column says the unit: for ${row.destination} add a constant for ${lacking}, as KGM or CMT.`
    : `A passport with ${row.destination} needs ${lacking} too.`
  return moveAside(row, rows, why)
}

/** Finds the code of the last unit that a heading names, as in `Gewicht (kg)`. */
function findHeadingUnit(heading: string): { word: string; code: string } | undefined {
  if (parseName(heading).unit === null) return undefined
  const words = heading
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  const found = words.flatMap((word) => {
    const code = findUnitCode(word)
    return code === undefined || word === '' ? [] : [{ word, code }]
  })
  return found.at(-1)
}

function suggestUnit(row: Correspondence, rows: readonly Correspondence[], columns: Columns): Correspondence[] {
  const { destination, source } = row
  const path = measurePattern.exec(destination)?.[1]
  if (path === undefined || source === null || findFilled(rows, `${path}.unit`)) return []
  const unit = findHeadingUnit(source)
  if (unit) {
    const evidence = `Unit of it: the name “${shortenName(source)}” says ${unit.word}, in UN/ECE Rec 20 ${unit.code}.`
    return [createConstant(`${path}.unit`, unit.code, 'high', evidence)]
  }
  const code = findValueUnit(columns.getValues(source))
  if (code !== undefined) {
    return [createConstant(`${path}.unit`, code, 'high', `Unit of it: the values of “${shortenName(source)}” say it.`)]
  }
  const column = findUnitColumn(path.endsWith('.weight') ? 'mass' : 'length', source, columns)
  if (column === undefined) return []
  return createFurtherUse(`${path}.unit`, column, `Unit of it: “${shortenName(column)}” holds units.`, ['trim', 'unit'])
}

/** Finds the column with the unit of another: one that has its name within its own, else the nearest behind it. */
function findUnitColumn(kind: 'mass' | 'length', of: string, columns: Columns): string | undefined {
  const ids = columns.fields.map(({ id }) => id)
  const holdsUnits = (id: string) => {
    const values = columns.getValues(id)
    const units = values.filter((text) => getUnitKind(findUnitCode(text) ?? '') === kind)
    return values.length > 0 && units.length >= values.length * 0.9
  }
  const found = ids.filter(holdsUnits)
  const behind = found.filter((id) => ids.indexOf(id) > ids.indexOf(of))
  return found.find((id) => id.toLowerCase().includes(of.toLowerCase())) ?? behind[0] ?? found[0]
}

/** Schemes of categories by how headings name them: their addresses and their names. */
const schemes: readonly [RegExp, id: string, name: string][] = [
  [/gpc|brick/i, 'https://www.gs1.org/standards/gpc', 'GS1 Global Product Classification'],
  [/unspsc/i, 'https://www.unspsc.org', 'UNSPSC'],
  [/ecl@?ss/i, 'https://eclass.eu', 'ECLASS'],
  [/etim/i, 'https://www.etim-international.com', 'ETIM'],
  [/\bcpc\b/i, 'https://unstats.un.org/unsd/classifications/Econ/cpc', 'UN Central Product Classification'],
]

/** Completes a category whose heading names its scheme; its name, if no column has one, is how the file calls the kind. */
function completeCategory(rows: readonly Correspondence[], getLabel: (path: string) => string): Correspondence[] {
  const at = 'product.productCategory[0]'
  const code = findFilled(rows, `${at}.code`)
  const scheme = schemes.find(([pattern]) => pattern.test(code?.source ?? ''))
  if (!scheme) return [...rows]
  const [, id, name] = scheme
  const evidence = `Scheme of the category: the name “${shortenName(code?.source ?? '')}” says it.`
  const kind = findFilled(rows, 'data.category')?.source
  const names = kind
    ? createFurtherUse(`${at}.name`, kind, `${getLabel(`${at}.name`)}: “${shortenName(kind)}” stands for it.`)
    : []
  const isNamed = findFilled(rows, `${at}.name`) !== undefined
  if (!isNamed && names.length === 0) return [...rows]
  return [
    ...rows,
    ...(isNamed ? [] : names),
    createConstant(`${at}.schemeId`, id, 'review', evidence),
    createConstant(`${at}.schemeName`, name, 'review', evidence),
  ]
}

const titlesByPath: Readonly<Record<string, string>> = {
  'product.productImage.linkURL': 'Product image',
  'product.relatedDocument[0].linkURL': 'Document',
}

function suggestTitle(
  { destination, source }: Correspondence,
  rows: readonly Correspondence[],
  getLabel: (path: string) => string,
): Correspondence[] {
  const title = titlesByPath[destination]
  const path = destination.replace(/linkURL$/, 'linkName')
  if (title === undefined || findFilled(rows, path)) return []
  const evidence = `${getLabel(path)}: an address needs a title, and no column has one for “${shortenName(source)}”.`
  return [createConstant(path, title, 'review', evidence)]
}
