/**
 * Tells whether a text is the one spelling of its bytes in base64url without padding. Readers of base64 pass over `=`,
 * other characters and unused bits at the end, so that a token has many spellings; only the one that was given out
 * counts. Source: RFC 4648, sections 3.2, 3.3 and 3.5; RFC 7515, section 2.
 */
export const isCanonicalBase64url = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text
