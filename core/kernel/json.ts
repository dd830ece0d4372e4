import { dotted } from './dotted.ts'

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Signs that every double keeps: 15 digits come back as they were written, whatever they are. */
const alwaysKept = 15

/** What a pass over a well-formed JSON text tells. */
export interface JsonScan {
  /** How many members its objects name: its colons outside of strings. */
  names: number
  /** Whether a double keeps every number of it. */
  exact: boolean
}

/** Looks through a well-formed JSON text once. */
export function scanJson(text: string): JsonScan {
  let names = 0
  let exact = true
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) at = endOfString(text, at)
    else if (sign === colon) names++
    else if (sign === minus || isDigit(sign)) {
      const end = endOfNumber(text, at)
      if (exact) exact = isShort(text, at, end) || isExactNumber(text.slice(at, end))
      at = end - 1
    }
  }
  return { names, exact }
}

const isDigit = (sign: number) => sign >= zero && sign <= nine
const isExponent = (sign: number) => (sign | 0x20) === 0x65

/** Where a string ends that begins at a place: its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let sign = text.charCodeAt(at); sign !== quote && at < text.length; sign = text.charCodeAt(++at)) {
    if (sign === backslash) at++
  }
  return at
}

/** The place behind a number that begins at a place. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1
  for (let sign = text.charCodeAt(at); isDigit(sign) || sign === point || isExponent(sign) || sign === plus || sign === minus;) {
    sign = text.charCodeAt(++at)
  }
  return at
}

/** Whether a number has so few signs, and none of them an exponent, that every double keeps it. */
function isShort(text: string, start: number, end: number): boolean {
  if (end - start > alwaysKept) return false
  for (let at = start; at < end; at++) if (isExponent(text.charCodeAt(at))) return false
  return true
}

/**
 * Whether a double keeps a number to the digit: the shortest decimal that reads back to its double has the value that was
 * written. `1.10` and `1e3` are kept, `12345678901234567890` and `1e400` are not.
 * @param text a number as JSON writes it: digits, a point before decimals, an exponent
 */
export function isExactNumber(text: string): boolean {
  if (isShort(text, 0, text.length)) return true
  const value = Number(text)
  return Number.isFinite(value) && valueOf(text) === valueOf(String(value))
}

const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/** One text for all spellings of a value: its digits without zeros around them, and the power of ten behind them. */
function valueOf(text: string): string | null {
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = parts.exec(text) ?? []
  const digits = whole + decimals
  let start = 0
  let end = digits.length
  while (start < end && digits.charCodeAt(start) === zero) start++
  while (end > start && digits.charCodeAt(end - 1) === zero) end--
  if (start === end) return digits === '' ? null : '0'
  const power = Number(exponent) - decimals.length + (digits.length - end)
  return `${sign === '-' ? '-' : ''}${digits.slice(start, end)}e${power}`
}

/** A list or an object that a scan is in, and where in it. */
interface Level { isList: boolean; index: number; name: string; named: boolean }

/** Paths of the numbers of a well-formed JSON text that a double does not keep. @param max how many are told */
export function inexactNumbersIn(text: string, max: number): string[] {
  const found: string[] = []
  const levels: Level[] = []
  for (let at = 0; at < text.length && found.length < max; at++) {
    const sign = text.charCodeAt(at)
    const level = levels.at(-1)
    if (sign === quote) {
      const end = endOfString(text, at)
      if (level && !level.isList && !level.named) level.name = JSON.parse(text.slice(at, end + 1)) as string
      at = end
    } else if (sign === minus || isDigit(sign)) {
      const end = endOfNumber(text, at)
      if (!isShort(text, at, end) && !isExactNumber(text.slice(at, end))) found.push(pathOf(levels))
      at = end - 1
    } else if (sign === openList || sign === openObject) {
      levels.push({ isList: sign === openList, index: 0, name: '', named: false })
    } else if (sign === closeList || sign === closeObject) levels.pop()
    else if (level && sign === comma) {
      level.index++
      level.named = false
    } else if (level && sign === colon) level.named = true
  }
  return found
}

const pathOf = (levels: readonly Level[]) =>
  dotted(levels.map(({ isList, index, name }) => (isList ? String(index) : name)).filter((part) => part !== ''))

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON text of somebody else, undefined for what is no JSON in UTF-8 or names a member of an object
 * twice, of which readers keep one or the other. Source: RFC 8259, sections 4 and 8.1.
 */
export function parseStrictly(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    return namesOf(value) === scanJson(text).names ? value : undefined
  } catch {
    return undefined
  }
}

/** How many members the objects of a value have. */
function namesOf(value: unknown): number {
  let names = 0
  const open = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) names += Object.keys(next).length
    for (const member of Object.values(next)) open.push(member)
  }
  return names
}
