/**
 * Encodes a text in UTF-8 and returns each octet as one latin1 character. Such a text is written with one copy, and its
 * length in bytes is known without scanning it.
 */
export const toOctets = (text: string): string => Buffer.from(text).toString('latin1')
