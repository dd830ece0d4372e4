/** Parses a JSON text, or its bytes in UTF-8; undefined if it is not JSON. Source: RFC 8259. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/**
 * Returns a copy of a JSON value whose objects have their members in one order, so that equal values have equal texts.
 * Raw numbers stay what they are. Source: RFC 8785, section 3.2.3. @throws RangeError if it is nested too deeply
 */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return value
  const members = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((name) => [name, sortMembers(members[name])]),
  )
}

/** The source text of a number. `JSON.stringify` writes it unchanged. Source: ECMA-262, JSON.rawJSON. */
interface RawNumber {
  readonly rawJSON: string
}

type ReviveWithSource = (key: string, value: unknown, context?: { source?: string }) => unknown

const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(source: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

export const isRawNumber = (value: unknown): value is RawNumber => isRawJSON(value)

/**
 * Parses a JSON text, or its bytes in UTF-8, without changing a number: a number that a double cannot hold becomes a
 * raw number, which every `JSON.stringify` writes as it was. Returns undefined if it is not JSON. Source: RFC 8259.
 */
export function parseExactJson(text: string | Uint8Array): unknown {
  const source = typeof text === 'string' ? text : new TextDecoder().decode(text)
  if (!inexactNumberPattern.test(source)) return parseJson(source)
  try {
    return JSON.parse(source, keepSource)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

const keepSource: ReviveWithSource = (_, value, { source } = {}) =>
  typeof value === 'number' && source !== undefined && !isExact(value, source) ? rawJSON(source) : value

/** Returns a value with doubles in place of raw numbers, for validation; the value itself if it has none. */
export function toDoubles(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isRawJSON(value)) return Number(value.rawJSON)
  if (Array.isArray(value)) {
    const entries = value.map(toDoubles)
    return entries.some((entry, index) => entry !== value[index]) ? entries : value
  }
  const members = Object.entries(value).map(([name, member]) => [name, member, toDoubles(member)] as const)
  if (members.every(([, member, double]) => member === double)) return value
  return Object.fromEntries(members.map(([name, , double]) => [name, double]))
}

/**
 * Matches numbers with so many digits that a double may change them, or with an exponent that may be out of range. A
 * number of JSON stands at the start or behind one of these characters, so digests and UUIDs in texts do not match,
 * which would cost the slow way of parsing.
 */
const inexactNumberPattern = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/

/**
 * Finds a number of a JSON text that parsing would change, and returns its spelling; null if there is none.
 * @throws SyntaxError, RangeError as `JSON.parse` does
 */
export function findInexactNumber(text: string): string | null {
  if (!inexactNumberPattern.test(text)) return null
  let changed: string | null = null
  // A reviver gets the source text of primitive values. Source: ECMA-262, JSON.parse, 2026.
  const revive: ReviveWithSource = (_, value, { source } = {}) => {
    if (typeof value === 'number' && source !== undefined && !isExact(value, source)) changed ??= source
    return value
  }
  JSON.parse(text, revive)
  return changed
}

/** Returns whether the shortest decimal of a number has the same value as its source text. */
const isExact = (value: number, source: string) =>
  Number.isFinite(value) && normalizeDecimal(source) === normalizeDecimal(String(value))

/** Returns one text for all spellings of a value: its digits without outer zeros, and a power of ten. */
function normalizeDecimal(text: string): string {
  const [, sign = '', whole = '', decimals = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + decimals
  let start = 0
  let end = digits.length
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  const power = Number(exponent) - decimals.length + digits.length - end
  return start === end ? '0' : `${sign}${digits.slice(start, end)}e${power}`
}
