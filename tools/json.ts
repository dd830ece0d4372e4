/** The value of a JSON text, or of its bytes in UTF-8; undefined where it is none. Source: RFC 8259. */
export function parsedJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** Digits enough that a double may not keep them, or an exponent that may lead past its range. */
const suspicious = /\d[\d.]{15}|\d[eE][+-]?\d{3}/

/**
 * A number of a JSON text that parsing would change, as it stands there; null where all are kept.
 * @throws SyntaxError, RangeError as parsing does
 */
export function changedNumber(text: string): string | null {
  if (!suspicious.test(text)) return null
  let changed: string | null = null
  // A text has the source of its primitive values for the one who revives them. Source: ECMA-262, JSON.parse, 2026.
  const revive = (_: string, value: unknown, { source }: { source?: string } = {}): unknown => {
    if (typeof value === 'number' && source !== undefined && !isKept(value, source)) changed ??= source
    return value
  }
  JSON.parse(text, revive)
  return changed
}

/** Whether the shortest decimal that reads back to the number has the value that was written. */
const isKept = (value: number, source: string) =>
  Number.isFinite(value) && scaled(source) === scaled(String(value))

/** One text for all spellings of a value: its digits without zeros around them, and the power of ten behind them. */
function scaled(text: string): string {
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + decimals
  let start = 0
  let end = digits.length
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  const power = Number(exponent) - decimals.length + digits.length - end
  return start === end ? '0' : `${sign}${digits.slice(start, end)}e${power}`
}
