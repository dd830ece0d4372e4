const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A JSON object in UTF-8. @throws Error for what is none, and for a member that is named twice */
export function parseStrictly(bytes: Uint8Array): Record<string, unknown> {
  const text = utf8.decode(bytes)
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no JSON object')
  refuseTwins(text)
  return value as Record<string, unknown>
}

/** One pass over the tokens of a text that is known to be JSON, with the names of every object that is open. */
function refuseTwins(text: string): void {
  const open: (Set<string> | null)[] = []
  for (const [token, end] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (end !== undefined) {
      const name = JSON.parse(token.slice(0, -end.length)) as string
      const names = open.at(-1)
      if (!names || names.has(name)) throw new Error(`${name} is named twice`)
      names.add(name)
    }
  }
}

/** Bytes of base64url without padding in its one spelling. @throws Error for another */
export function decodeStrictly(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (text === '' || bytes.toString('base64url') !== text) throw new Error('no canonical base64url')
  return bytes
}
