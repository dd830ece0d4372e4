import { isExactNumber } from '../../kernel/json.ts'
import { Fault, ofEach, textOf, type Step } from './transforms.types.ts'

/** Sign that stands before decimals; null: found out value by value. */
export type DecimalSign = '.' | ',' | null

/** Longer texts are no number that anybody wrote. */
const longest = 60

const notNumber = new Fault('not_number', 'is not a number')
const notWhole = new Fault('not_integer', 'is not a whole number')
const notKept = new Fault('not_number', 'has more digits than a number keeps; import it as text')

/** Signs that stand between groups of digits beside comma and point. Source: CLDR, `group` of its number symbols. */
const space = /[\s'\u2019\u00a0\u2009\u202f]/
const scientific = /^\d{1,17}(?:\.\d{1,17})?[eE][+-]?\d{1,3}$/

/**
 * A number as people write it: `1234.5`, `1,234.56`, `1.234,56`, `1 234,56`, `1'234.50`, `1e3`. Where one sign stands
 * before exactly three digits, as in `1,234`, nobody can tell decimals from thousands: it is refused until the mapper
 * says which sign it is. A currency or a unit is no part of a number.
 * @param sign what stands before decimals, where the mapper says so
 */
export function numberStep(sign: DecimalSign): Step {
  return ofEach((value) => {
    if (typeof value === 'number') return value
    const text = textOf(value)
    return text instanceof Fault ? text : readNumber(text.trim(), sign)
  })
}

/** A number without decimals; `12.0` is one. */
export function integerStep(sign: DecimalSign): Step {
  const read = numberStep(sign)
  return ofEach((value) => {
    const number = read(value)
    return typeof number === 'number' && !Number.isInteger(number) ? notWhole : number
  })
}

function readNumber(text: string, sign: DecimalSign): number | Fault | undefined {
  if (text === '') return undefined
  if (text.length > longest) return notNumber
  const negative = text.startsWith('-') || text.startsWith('\u2212')
  const digits = negative || text.startsWith('+') ? text.slice(1) : text
  const plain = scientific.test(digits) ? digits : plainOf(digits, sign)
  if (plain instanceof Fault) return plain
  if (!isExactNumber(plain)) return notKept
  const size = Number(plain)
  return negative && size !== 0 ? -size : size
}

/** The digits with a point before decimals and nothing between thousands. */
function plainOf(digits: string, sign: DecimalSign): string | Fault {
  if (/^\d+$/.test(digits)) return digits
  if (!/^[\d.,][\d.,\s'\u2019\u00a0\u2009\u202f]*$/.test(digits) || !/\d$/.test(digits)) return notNumber
  const decimal = sign ?? decimalOf(digits)
  if (decimal instanceof Fault) return decimal
  const at = decimal === '' ? -1 : digits.lastIndexOf(decimal)
  const whole = at === -1 ? digits : digits.slice(0, at)
  const rest = at === -1 ? '' : digits.slice(at + 1)
  if (!/^\d*$/.test(rest) || (at !== -1 && rest === '')) return notNumber
  const joined = whole === '' ? '0' : joinGroups(whole)
  if (joined instanceof Fault) return joined
  return rest === '' ? joined : `${joined}.${rest}`
}

/** What stands before decimals in this very number, empty where there are none. */
function decimalOf(digits: string): '.' | ',' | '' | Fault {
  const comma = digits.lastIndexOf(',')
  const point = digits.lastIndexOf('.')
  if (comma === -1 && point === -1) return ''
  if (comma !== -1 && point !== -1) return comma > point ? ',' : '.'
  const sign = comma === -1 ? '.' : ','
  const at = Math.max(comma, point)
  if (digits.indexOf(sign) !== at) return ''
  const head = digits.slice(0, at)
  const groups = digits.length - at === 4 && /^[1-9]\d{0,2}$/.test(head)
  return groups ? ambiguous(head, digits.slice(at + 1)) : sign
}

const ambiguous = (head: string, rest: string) => new Fault(
  'ambiguous_number',
  `can mean ${head}${rest} or ${head}.${rest}; number(.) or number(,) says which sign stands before decimals`)

/** `1.234.567`, `12 345` or `12,34,567` without the signs between. One and the same sign stands between all groups. */
function joinGroups(whole: string): string | Fault {
  const sign = [...whole].find((one) => one < '0' || one > '9')
  if (sign === undefined) return whole
  const groups = whole.split(sign)
  const last = groups.pop()
  const first = groups.shift() ?? ''
  const even = /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{2,3}$/.test(group)) && /^\d{3}$/.test(last ?? '')
  if (!even || !(space.test(sign) || sign === '.' || sign === ',')) return notNumber
  return [first, ...groups, last].join('')
}
