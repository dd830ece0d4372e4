/** The value of a JSON text, or of its bytes in UTF-8; undefined where it is none. Source: RFC 8259. */
export function parsedJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
