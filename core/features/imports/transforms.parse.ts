/** A transform as it is written: its name and what stands in its brackets. */
export interface Call { name: string; given: string | null }

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' }

/** `replace(",", ".")` as name and brackets; undefined where it is no transform at all. */
export function callOf(text: string): Call | undefined {
  const found = /^([a-z]+)(?:\(([^]*)\))?$/i.exec(text.trim())
  return found?.[1] === undefined ? undefined : { name: found[1].toLowerCase(), given: found[2] ?? null }
}

/**
 * The one argument in brackets. In quotes, `"` or `'`, it is what stands between them; else all there is, without
 * blanks at its ends unless it is nothing but blanks, so that `split(,)` and `split( )` mean what they say. A backslash
 * takes the next character as it is; `\t`, `\n` and `\r` are tabulator and line ends.
 */
export function oneArgument(given: string): string {
  const quoted = scanQuoted(given.trim(), 0)
  if (quoted && quoted.end === given.trim().length) return quoted.text
  return plain(given.trim() === '' ? given : given.trim())
}

/** Two arguments with a comma between; in quotes where one has a comma itself. Undefined where they are not two. */
export function twoArguments(given: string): [string, string] | undefined {
  const first = scanArgument(given, 0)
  if (given[first.end] !== ',') return undefined
  const second = scanArgument(given, first.end + 1)
  return second.end === given.length ? [first.text, second.text] : undefined
}

/** One argument from there on, up to a comma or the end. */
function scanArgument(given: string, from: number): { text: string; end: number } {
  let start = from
  while (given[start] === ' ') start += 1
  const quoted = scanQuoted(given, start)
  if (quoted) {
    let end = quoted.end
    while (given[end] === ' ') end += 1
    return { text: quoted.text, end }
  }
  let end = start
  while (end < given.length && given[end] !== ',') end += given[end] === '\\' ? 2 : 1
  end = Math.min(end, given.length)
  return { text: plain(given.slice(start, end).trim()), end }
}

/** A text in quotes and the place behind it, or undefined where none begins or it does not end. */
function scanQuoted(text: string, from: number): { text: string; end: number } | undefined {
  const quote = text[from]
  if (quote !== '"' && quote !== '\'') return undefined
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return { text: plain(text.slice(from + 1, at)), end: at + 1 }
  }
  return undefined
}

const plain = (text: string) => text.replace(/\\([^])/g, (_all, one: string) => escapes[one] ?? one)
