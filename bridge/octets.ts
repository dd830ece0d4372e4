/**
 * Each octet of the text in UTF-8 as one character (latin1): what is sent often is then written with one copy, and its
 * length is known without looking at it.
 */
export const octets = (text: string): string => Buffer.from(text).toString('latin1')
