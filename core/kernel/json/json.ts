import { formatDottedPath } from './dotted-path.ts'

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

/** Maximum length of a number that needs no closer check: every double keeps 15 digits exactly. */
const maxExactDigits = 15

/** The result of one pass over a well-formed JSON text. */
export interface JsonScan {
  /** Number of members in all objects: the number of colons outside of strings. */
  memberCount: number
  /** Whether a double represents every number of the text exactly. */
  isExact: boolean
}

/** Scans a well-formed JSON text once. */
export function scanJson(text: string): JsonScan {
  let memberCount = 0
  let isExact = true
  for (let at = 0; at < text.length; at++) {
    const charCode = text.charCodeAt(at)
    if (charCode === quote) at = findStringEnd(text, at)
    else if (charCode === colon) memberCount++
    else if (charCode === minus || isDigit(charCode)) {
      const end = findNumberEnd(text, at)
      if (isExact) isExact = isShortNumber(text, at, end) || isExactNumber(text.slice(at, end))
      at = end - 1
    }
  }
  return { memberCount, isExact }
}

const isDigit = (sign: number) => sign >= zero && sign <= nine
const isExponent = (sign: number) => (sign | 0x20) === 0x65

/** Returns the position of the closing quote of the string that begins at `start`. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1
  for (let sign = text.charCodeAt(at); sign !== quote && at < text.length; sign = text.charCodeAt(++at)) {
    if (sign === backslash) at++
  }
  return at
}

/** Returns the position after the last character of the number that begins at `start`. */
function findNumberEnd(text: string, start: number): number {
  let at = start + 1
  for (
    let sign = text.charCodeAt(at);
    isDigit(sign) || sign === point || isExponent(sign) || sign === plus || sign === minus;
  ) {
    sign = text.charCodeAt(++at)
  }
  return at
}

/** Returns true if the number has at most 15 characters and no exponent, so that every double keeps it. */
function isShortNumber(text: string, start: number, end: number): boolean {
  if (end - start > maxExactDigits) return false
  for (let at = start; at < end; at++) if (isExponent(text.charCodeAt(at))) return false
  return true
}

/**
 * Checks whether a double keeps all digits of a number: the shortest decimal that parses to the same double must have
 * the same value as the text. `1.10` and `1e3` are exact, `12345678901234567890` and `1e400` are not.
 * @param text a number in JSON notation: digits, decimals after a point, an exponent
 */
export function isExactNumber(text: string): boolean {
  if (isShortNumber(text, 0, text.length)) return true
  const value = Number(text)
  return Number.isFinite(value) && normalizeNumber(text) === normalizeNumber(String(value))
}

const numberPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/**
 * Returns the same text for all spellings of a value: its significant digits, and the power of ten that follows them.
 */
function normalizeNumber(text: string): string | null {
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = numberPattern.exec(text) ?? []
  const digits = whole + decimals
  let start = 0
  let end = digits.length
  while (start < end && digits.charCodeAt(start) === zero) start++
  while (end > start && digits.charCodeAt(end - 1) === zero) end--
  if (start === end) return digits === '' ? null : '0'
  const power = Number(exponent) - decimals.length + (digits.length - end)
  return `${sign === '-' ? '-' : ''}${digits.slice(start, end)}e${power}`
}

/** A list or an object that contains the present position of a scan, with the index or name inside it. */
interface ContainerLevel {
  isList: boolean
  index: number
  name: string
}

/**
 * Finds the numbers of a well-formed JSON text that a double cannot represent exactly. @param max limit of results
 * @returns the paths of the numbers
 */
export function findInexactNumbers(text: string, max: number): string[] {
  const paths: string[] = []
  const levels: ContainerLevel[] = []
  for (let at = 0; at < text.length && paths.length < max; at++) {
    const charCode = text.charCodeAt(at)
    const level = levels.at(-1)
    if (charCode === quote) {
      const end = findStringEnd(text, at)
      // The text of a value is read as a name too; the next name replaces it before the next number.
      if (level && !level.isList) level.name = JSON.parse(text.slice(at, end + 1)) as string
      at = end
    } else if (charCode === minus || isDigit(charCode)) {
      const end = findNumberEnd(text, at)
      if (!isShortNumber(text, at, end) && !isExactNumber(text.slice(at, end))) paths.push(formatLevelsPath(levels))
      at = end - 1
    } else if (charCode === openList || charCode === openObject) {
      levels.push({ isList: charCode === openList, index: 0, name: '' })
    } else if (charCode === closeList || charCode === closeObject) levels.pop()
    else if (level && charCode === comma) level.index++
  }
  return paths
}

const formatLevelsPath = (levels: readonly ContainerLevel[]) =>
  formatDottedPath(
    levels.map(({ isList, index, name }) => (isList ? String(index) : name)).filter((part) => part !== ''),
  )

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON from an outside source. Returns undefined if the bytes are not JSON in UTF-8, or if an object has two
 * members of the same name, because readers differ in which of the two they keep. Source: RFC 8259, sections 4 and 8.1.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    return countMembers(value) === scanJson(text).memberCount ? value : undefined
  } catch {
    return undefined
  }
}

/** Counts the members of all objects inside a value. */
function countMembers(value: unknown): number {
  let names = 0
  const open = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) names += Object.keys(next).length
    for (const member of Object.values(next)) open.push(member)
  }
  return names
}
