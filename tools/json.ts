/** Parses a JSON text, or its bytes in UTF-8; undefined if it is not JSON. Source: RFC 8259. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** Matches numbers with so many digits that a double may change them, or with an exponent that may be out of range. */
const inexactNumberPattern = /\d[\d.]{15}|\d[eE][+-]?\d{3}/

/**
 * Finds a number of a JSON text that parsing would change, and returns its spelling; null if there is none.
 * @throws SyntaxError, RangeError as `JSON.parse` does
 */
export function findInexactNumber(text: string): string | null {
  if (!inexactNumberPattern.test(text)) return null
  let changed: string | null = null
  // A reviver gets the source text of primitive values. Source: ECMA-262, JSON.parse, 2026.
  const revive = (_: string, value: unknown, { source }: { source?: string } = {}): unknown => {
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
