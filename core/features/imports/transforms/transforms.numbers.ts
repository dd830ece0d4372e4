import { isExactNumber } from '../../../kernel/json/json.ts'
import { ValueIssue, createEachStep, toText, type TransformStep } from './transforms.types.ts'

/** The sign before decimals; null if each value decides for itself. */
export type DecimalSign = '.' | ',' | null

/** The maximum length of a number as text: nobody writes a longer number. */
const maxNumberLength = 60

const notNumber = new ValueIssue('not_number', 'is not a number')
const notInteger = new ValueIssue('not_integer', 'is not a whole number')
const notExact = new ValueIssue('not_number', 'has more digits than a number keeps; import it as text')

/** The signs that separate groups of digits, besides comma and point. Source: CLDR, `group` of its number symbols. */
const groupSignPattern = /[\s'\u2019\u00a0\u2009\u202f]/
const scientificPattern = /^\d{1,17}(?:\.\d{1,17})?[eE][+-]?\d{1,3}$/

/**
 * Creates a step that reads a number as people write it: `1234.5`, `1,234.56`, `1.234,56`, `1 234,56`, `1'234.50`,
 * `1e3`. A number with one sign before exactly three digits, as in `1,234`, is refused until the mapper names the sign,
 * because nobody can tell decimals from thousands there. A text with a currency or a unit is not a number.
 * @param sign the sign before decimals, or null if the mapper does not name it
 */
export function createNumberStep(sign: DecimalSign): TransformStep {
  return createEachStep((value) => {
    if (typeof value === 'number') return value
    const text = toText(value)
    return text instanceof ValueIssue ? text : parseNumber(text.trim(), sign)
  })
}

/** Creates a step that reads a number without decimals; `12.0` is such a number. */
export function createIntegerStep(sign: DecimalSign): TransformStep {
  const read = createNumberStep(sign)
  return createEachStep((value) => {
    const number = read(value)
    return typeof number === 'number' && !Number.isInteger(number) ? notInteger : number
  })
}

function parseNumber(text: string, sign: DecimalSign): number | ValueIssue | undefined {
  if (text === '') return undefined
  if (text.length > maxNumberLength) return notNumber
  const negative = text.startsWith('-') || text.startsWith('\u2212')
  const digits = negative || text.startsWith('+') ? text.slice(1) : text
  const plain = scientificPattern.test(digits) ? digits : toPlainDigits(digits, sign)
  if (plain instanceof ValueIssue) return plain
  if (!isExactNumber(plain)) return notExact
  const size = Number(plain)
  return negative && size !== 0 ? -size : size
}

/** Returns the digits with a point before decimals and without signs between thousands. */
function toPlainDigits(digits: string, sign: DecimalSign): string | ValueIssue {
  if (/^\d+$/.test(digits)) return digits
  if (!/^[\d.,][\d.,\s'\u2019\u00a0\u2009\u202f]*$/.test(digits) || !/\d$/.test(digits)) return notNumber
  const decimal = sign ?? findDecimalSign(digits)
  if (decimal instanceof ValueIssue) return decimal
  const at = decimal === '' ? -1 : digits.lastIndexOf(decimal)
  const whole = at === -1 ? digits : digits.slice(0, at)
  const rest = at === -1 ? '' : digits.slice(at + 1)
  if (!/^\d*$/.test(rest) || (at !== -1 && rest === '')) return notNumber
  const joined = whole === '' ? '0' : joinGroups(whole)
  if (joined instanceof ValueIssue) return joined
  return rest === '' ? joined : `${joined}.${rest}`
}

/** Finds the sign before the decimals of one number; returns an empty text if the number has no decimals. */
function findDecimalSign(digits: string): '.' | ',' | '' | ValueIssue {
  const comma = digits.lastIndexOf(',')
  const point = digits.lastIndexOf('.')
  if (comma === -1 && point === -1) return ''
  if (comma !== -1 && point !== -1) return comma > point ? ',' : '.'
  const sign = comma === -1 ? '.' : ','
  const at = Math.max(comma, point)
  if (digits.indexOf(sign) !== at) return ''
  const head = digits.slice(0, at)
  const groups = digits.length - at === 4 && /^[1-9]\d{0,2}$/.test(head)
  return groups ? createAmbiguityIssue(head, digits.slice(at + 1)) : sign
}

const createAmbiguityIssue = (head: string, rest: string) =>
  new ValueIssue(
    'ambiguous_number',
    `can mean ${head}${rest} or ${head}.${rest}; number(.) or number(,) says which sign stands before decimals`,
  )

/** Removes the signs between the groups of `1.234.567`, `12 345` or `12,34,567`. All groups must have the same sign. */
function joinGroups(whole: string): string | ValueIssue {
  const sign = [...whole].find((one) => one < '0' || one > '9')
  if (sign === undefined) return whole
  const groups = whole.split(sign)
  const last = groups.pop()
  const first = groups.shift() ?? ''
  const even = /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{2,3}$/.test(group)) && /^\d{3}$/.test(last ?? '')
  if (!even || !(groupSignPattern.test(sign) || sign === '.' || sign === ',')) return notNumber
  return [first, ...groups, last].join('')
}
