import { parseNumberText, readValues, type ColumnValues } from './lexical.values.ts'
import type { SourceField } from '../suggestions.schema.ts'
import { applyTransforms, findUnitCode, parseTransform, type Transform, ValueIssue } from '../../transforms/index.ts'

/** How a file writes numbers and dates. `decimals` is null if nothing in the file shows the sign. */
export interface Habits {
  decimals: '.' | ',' | null
  monthFirst: boolean
}

/** The most characters of a text that may be a number with its unit, or a date. */
const maxNumberLength = 40

const dayPattern = /^(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}/

/** Detects from all columns of a file together how the file writes numbers and dates. */
export function detectHabits(all: readonly Pick<ColumnValues, 'texts'>[]): Habits {
  const texts = all.flatMap((values) => values.texts).filter((text) => text.length <= maxNumberLength)
  const days = texts.map((text) => dayPattern.exec(text)).filter((found) => found !== null)
  return {
    decimals: detectDecimalSign(texts.map((text) => text.replace(/(?<=\d)\s*[\p{L}%€$£]+\.?$/u, ''))),
    monthFirst: days.some(([, , second]) => Number(second) > 12) && !days.some(([, first]) => Number(first) > 12),
  }
}

/**
 * Creates a pattern of numbers where the sign certainly stands before decimals: the sign is not before exactly three
 * digits, or it comes after groups with another sign, or after a lone 0.
 */
const createDecimalPattern = (sign: string, other: string) =>
  new RegExp(
    `^[+-]?(?:\\d+\\${sign}(?:\\d{1,2}|\\d{4,})|0\\${sign}\\d+|\\d{1,3}(?:[\\${other}\\s]\\d{3})+\\${sign}\\d+)$`,
  )
const [point, comma] = [createDecimalPattern('.', ','), createDecimalPattern(',', '.')]

function detectDecimalSign(texts: readonly string[]): Habits['decimals'] {
  const [points, commas] = [point, comma].map((form) => texts.filter((text) => form.test(text)).length)
  return points === commas ? null : (points ?? 0) > (commas ?? 0) ? '.' : ','
}

/** Detects the format of a date, in letters of CLDR; the day comes first unless the file shows otherwise. */
export function detectDateFormat(text: string, { monthFirst }: Habits): string | null {
  if (/^\d{8}$/.test(text)) return 'yyyyMMdd'
  const iso = /^(\d{4})([./-])(\d{1,2})[./-](\d{1,2})$/.exec(text)
  if (iso) return `yyyy${iso[2]}${repeatLetter('M', iso[3])}${iso[2]}${repeatLetter('d', iso[4])}`
  const found = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text)
  if (!found) return null
  const [, first, sign, second, year = ''] = found
  const parts = monthFirst
    ? [repeatLetter('M', first), repeatLetter('d', second)]
    : [repeatLetter('d', first), repeatLetter('M', second)]
  return [...parts, 'y'.repeat(year.length)].join(sign)
}

/**
 * Returns one letter for a part of one digit, otherwise two: a file with a part of one digit does not write leading
 * zeros.
 */
const repeatLetter = (letter: string, digits = '') => letter.repeat(digits.length === 1 ? 1 : 2)

const datePaths = ['product.productionDate', 'product.expiryDate']
const linkPaths = /\.linkURL$|^product\.id$|^certificateUri$/
const sharePaths = /Fraction$|^data\.(?:materialShare|recycledShare)$/
const measurePaths = /^product\.dimensions\.\w+\.value$|^data\.(?:weight|length|width|height)$/
const numberPaths = /^data\.(?:price|quantity|carbonFootprint|warrantyMonths)$/

/**
 * Suggests the transforms that values need for a destination: of those that may suit it, the ones with which the fewest
 * values fail.
 * @param texts values of the column
 */
export function suggestTransforms(
  path: string,
  field: SourceField,
  habits: Habits,
  texts: readonly string[] = readValues(field).texts,
): string[] {
  const values = [...new Set(texts)].slice(0, maxTried)
  let best = { wanted: ['trim'], failures: Number.POSITIVE_INFINITY }
  for (const wanted of listCandidates(path, field, { values, habits })) {
    const failures = countFailures(wanted, values)
    if (failures < best.failures) best = { wanted, failures }
  }
  return best.wanted
}

/** The number of different values that transforms are tried with. */
const maxTried = 1_000

interface TriedValues {
  values: readonly string[]
  habits: Habits
}

/** Lists the transforms that may suit a destination; among those with which as many values fail the first one is taken. */
function listCandidates(path: string, field: SourceField, tried: TriedValues): string[][] {
  const { values, habits } = tried
  if (path === 'product.gtin') return [['trim', 'gtin']]
  if (path === 'product.countryOfProduction.countryCode') return [['trim', 'country']]
  if (path === 'product.idGranularity') return [['trim', 'granularity']]
  if (path === 'data.currency') return [['trim', 'upper']]
  if (path === 'allowedClaimEmail') return [['trim', 'lower']]
  if (path.endsWith('.unit')) return [['trim', 'unit']]
  if (sharePaths.test(path)) return listShareCandidates(field, tried)
  if (measurePaths.test(path)) return [['trim', formatCall('number', habits)], ...listMeasureCandidates(tried)]
  if (numberPaths.test(path)) return [['trim', formatCall('number', habits)]]
  if (datePaths.includes(path)) return listDateCandidates(tried)
  if (linkPaths.test(path)) return [['trim'], ...listLinkCandidates(values)]
  if (path === 'data.certifications') {
    const separator = [';', '|', ','].find((sign) => values.some((text) => text.includes(sign)))
    return separator === undefined ? [['trim']] : [[separator === ',' ? 'split(",")' : `split(${separator})`, 'trim']]
  }
  return [['trim']]
}

const formatCall = (name: string, { decimals }: Habits) => (decimals === null ? name : `${name}(${decimals})`)

/** A percentage is told by its sign, by its heading, or by being larger than a share can be. */
function listShareCandidates({ id }: SourceField, { values, habits }: TriedValues): string[][] {
  const isPercent =
    /%|percent|prozent|pourcent|porcent|percentu/i.test(id)
    || values.some((text) => text.includes('%') || parseNumberText(text) > 1)
  return [['trim', formatCall(isPercent ? 'percent' : 'number', habits)]]
}

/** Finds the unit that most of the values have behind them; undefined if most have none. */
export function findValueUnit(values: readonly string[]): string | undefined {
  const codes = values.map((text) =>
    text.length > maxNumberLength ? undefined : findUnitCode(/\d\s*(\p{L}+\.?)$/u.exec(text)?.[1] ?? ''),
  )
  return findCommonest(codes, String)
}

function listMeasureCandidates({ values, habits: { decimals } }: TriedValues): string[][] {
  const unit = findValueUnit(values)
  return unit === undefined ? [] : [['trim', decimals === null ? `measure(${unit})` : `measure(${unit},"${decimals}")`]]
}

/** The first and the last signs of a time behind a day. */
const timePattern = /^(\S+)([ T])(\d{1,2}):\d{2}(:\d{2})?$/

function listDateCandidates({ values, habits }: TriedValues): string[][] {
  const formats = new Set(values.map((text) => detectDateFormat(text, habits)))
  formats.delete(null)
  const timed = values.flatMap((text) => {
    const [, day = '', between, hours = '', seconds] = timePattern.exec(text) ?? []
    const format = detectDateFormat(day, habits)
    if (format === null) return []
    return [`${format}${between}${hours.length === 1 ? 'H' : 'HH'}:mm${seconds === undefined ? '' : ':ss'}`]
  })
  return [
    ['trim'],
    ...[...formats].slice(0, 20).map((format) => ['trim', `date(${format})`]),
    ['trim', 'day'],
    ...[...new Set(timed)].slice(0, 5).map((format) => ['trim', `date(${format})`, 'day']),
  ].filter((wanted) => wanted.length > 1 || values.every((text) => /^\d{4}-\d{2}-\d{2}$/.test(text)))
}

/** Several addresses in one cell stand behind each other: the first one is taken. */
function listLinkCandidates(values: readonly string[]): string[][] {
  const signs = [',', ';', '|', ' '].filter((sign) =>
    values.some((text) => new RegExp(`\\S\\s*\\${sign}\\s*https?://`).test(text)),
  )
  return signs.map((sign) => [sign === '|' || sign === ';' ? `first(${sign})` : `first("${sign}")`])
}

/** Counts the values that fail with transforms; several addresses in one are a failure too. */
function countFailures(written: readonly string[], values: readonly string[]): number {
  const made = written.map(parseTransform)
  if (made.some((one) => typeof one === 'string')) return Number.POSITIVE_INFINITY
  return values.filter((text) => {
    const value = applyTransforms(made as Transform[], text)
    return value instanceof ValueIssue || (typeof value === 'string' && /\shttps?:|,https?:|[;|]https?:/.test(value))
  }).length
}

/** Finds the value whose key is the most frequent; the first one of several. */
export function findCommonest<T>(values: readonly T[], getKey: (value: T) => string): T | undefined {
  const counts = new Map<string, { value: T; count: number }>()
  for (const value of values) {
    const key = getKey(value)
    counts.set(key, { value: counts.get(key)?.value ?? value, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  let best: { value: T; count: number } | undefined
  for (const one of counts.values()) if (one.count > (best?.count ?? 0)) best = one
  return best?.value
}
