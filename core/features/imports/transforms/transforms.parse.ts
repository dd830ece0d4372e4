/** A transform as it is written: its name and the text in its brackets. */
export interface TransformCall {
  name: string
  argumentText: string | null
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' }

/**
 * Splits `replace(",", ".")` into its name and the text in brackets; returns undefined if the text is not a transform.
 */
export function parseCall(text: string): TransformCall | undefined {
  const found = /^([a-z]+)(?:\(([^]*)\))?$/i.exec(text.trim())
  return found?.[1] === undefined ? undefined : { name: found[1].toLowerCase(), argumentText: found[2] ?? null }
}

/**
 * Reads the only argument in brackets. If the argument is quoted with `"` or `'`, it is the text between the quotes.
 * Otherwise it is the whole text without the blanks at its ends; a text of nothing but blanks keeps them, so that
 * `split(,)` and `split( )` mean what they say. A backslash makes the next character literal; `\t`, `\n` and `\r` are a
 * tab and line ends.
 */
export function parseArgument(given: string): string {
  const quoted = scanQuoted(given.trim(), 0)
  if (quoted && quoted.end === given.trim().length) return quoted.text
  return removeEscapes(given.trim() === '' ? given : given.trim())
}

/**
 * Reads two arguments separated by a comma; an argument that contains a comma stands in quotes. Returns undefined if
 * there are not exactly two arguments.
 */
export function parseTwoArguments(given: string): [string, string] | undefined {
  const first = scanArgument(given, 0)
  if (given[first.end] !== ',') return undefined
  const second = scanArgument(given, first.end + 1)
  return second.end === given.length ? [first.text, second.text] : undefined
}

/** Reads the argument that begins at `from` and ends before a comma or at the end of the text. */
function scanArgument(argumentText: string, from: number): { text: string; end: number } {
  let start = from
  while (argumentText[start] === ' ') start += 1
  const quoted = scanQuoted(argumentText, start)
  if (quoted) {
    let end = quoted.end
    while (argumentText[end] === ' ') end += 1
    return { text: quoted.text, end }
  }
  let end = start
  while (end < argumentText.length && argumentText[end] !== ',') end += argumentText[end] === '\\' ? 2 : 1
  end = Math.min(end, argumentText.length)
  return { text: removeEscapes(argumentText.slice(start, end).trim()), end }
}

/**
 * Reads the quoted text that begins at `from`; `end` is the position after its closing quote. Returns undefined if no
 * quote opens at `from` or it is not closed.
 */
function scanQuoted(text: string, from: number): { text: string; end: number } | undefined {
  const quote = text[from]
  if (quote !== '"' && quote !== "'") return undefined
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return { text: removeEscapes(text.slice(from + 1, at)), end: at + 1 }
  }
  return undefined
}

const removeEscapes = (text: string) => text.replace(/\\([^])/g, (_all, one: string) => escapes[one] ?? one)
