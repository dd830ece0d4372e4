import { hasHidden } from './characters.ts'

/** Schemes of what a person may be led to by a link of a page or of a credential. */
const linkSchemes = new Set(['https:', 'http:', 'ipfs:'])

/** Schemes of identifiers beside those; none of them runs anything or reads a file. */
const identifierSchemes = new Set([...linkSchemes, 'mailto:', 'tel:', 'urn:', 'did:'])

/** What no address holds as it is: browsers drop or mend some of it in silence. Source: RFC 3986; WHATWG URL. */
const unsafe = /[\s\p{Cc}<>"\\^`{|}]/u
/** Scheme and, after two slashes, an authority without a user. */
const withAuthority = /^[a-z]+:\/\/[^/?#@]+(?:[/?#]|$)/i

/** Says whether a text is an address that people may be led to: https, http or ipfs, without a user and password. */
export function isLinkAddress(text: string): boolean {
  return isAddressOf(linkSchemes, text)
}

/** Says whether a text is the address of something, or an identifier that leads nowhere by itself, as `urn:`. */
export function isIdentifierAddress(text: string): boolean {
  return isAddressOf(identifierSchemes, text)
}

function isAddressOf(schemes: ReadonlySet<string>, text: string): boolean {
  if (unsafe.test(text) || hasHidden(text)) return false
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase()
  if (scheme === undefined || !schemes.has(scheme)) return false
  if (!linkSchemes.has(scheme)) return text.length > scheme.length
  return withAuthority.test(text) && (scheme === 'ipfs:' || URL.canParse(text))
}

/**
 * What a browser runs or opens from the machine where it is led to it, also in disguise: capital letters, blanks and
 * controls before and inside the scheme. A text that only begins with such a word, as "JavaScript: The Good Parts" or
 * "Data: 12 May", is none. Source: WHATWG URL, sections 4.4 (stripping) and 6.3.
 */
const runs = new RegExp([
  '(?:javascript|vbscript):(?! )[^\\s]', '(?:javascript|vbscript):\\s*[^\\s]*[(=`;\\[]',
  'data:(?:[;,]|[a-z]+/[a-z0-9.+*-]+[;,])', 'blob:(?:https?:|null)', 'file:/', 'view-source:', 'filesystem:',
].map((form) => `^(?:${form})`).join('|'), 'i')

/** Says whether a text would run something, or open a file, were it made a link. */
export function isHarmfulAddress(text: string): boolean {
  // Most texts have no such word, and this is asked of every value of every row.
  if (!/:/.test(text.slice(0, 64))) return false
  const stripped = [...text.slice(0, 400)].filter((character) => character === ' ' || !/\s/.test(character) && !hasHidden(character))
  return runs.test(stripped.join('').trimStart())
}
