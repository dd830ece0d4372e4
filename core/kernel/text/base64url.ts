/**
 * Decodes base64url without padding; returns null unless the text is the canonical spelling of its bytes. Other decoders
 * ignore `=`, foreign characters and unused bits at the end, so that one token has many spellings; only the spelling
 * that was issued is valid. Source: RFC 4648, sections 3.2, 3.3 and 3.5; RFC 7515, section 2.
 */
export function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}

/** Checks whether a text is base64url in its canonical spelling. */
export const isCanonicalBase64url = (text: string): boolean => decodeBase64url(text) !== null
