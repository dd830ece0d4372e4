const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/** How many members the objects of a well-formed JSON text name: its colons outside of strings. */
export function namesIn(text: string): number {
  let names = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (inString) {
      if (sign === backslash) at++
      else if (sign === quote) inString = false
    } else if (sign === quote) inString = true
    else if (sign === colon) names++
  }
  return names
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON text of somebody else, undefined for what is no JSON in UTF-8 or names a member of an object
 * twice, of which readers keep one or the other. Source: RFC 8259, sections 4 and 8.1.
 */
export function parseStrictly(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    return namesOf(value) === namesIn(text) ? value : undefined
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
