import { Script } from 'node:vm'
import { hasHiddenCharacters } from './characters.ts'

/** Schemes that a link of a page or of a credential may have. */
const linkSchemes = new Set(['https:', 'http:', 'ipfs:'])

/** Schemes that an identifier may have. None of them runs code or reads a file. */
const identifierSchemes = new Set([...linkSchemes, 'mailto:', 'tel:', 'urn:', 'did:'])

/**
 * Characters that an address must not contain unencoded; browsers silently drop or repair some of them. Source: RFC
 * 3986; WHATWG URL.
 */
const unsafeCharacters = /[\s\p{Cc}<>"\\^`{|}]/u
/** A scheme, two slashes and an authority without a user. */
const authorityPattern = /^[a-z]+:\/\/[^/?#@]+(?:[/?#]|$)/i

/** Checks whether a text is an address that people may be sent to: https, http or ipfs, without user and password. */
export function isLinkAddress(text: string): boolean {
  return hasAllowedScheme(linkSchemes, text)
}

/** Checks whether a text is an address, or an identifier that does not lead anywhere by itself, such as `urn:`. */
export function isIdentifierAddress(text: string): boolean {
  return hasAllowedScheme(identifierSchemes, text)
}

function hasAllowedScheme(schemes: ReadonlySet<string>, text: string): boolean {
  if (unsafeCharacters.test(text) || hasHiddenCharacters(text)) return false
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase()
  if (scheme === undefined || !schemes.has(scheme)) return false
  if (!linkSchemes.has(scheme)) return text.length > scheme.length
  return authorityPattern.test(text) && URL.canParse(text)
}

/** What follows the colon of an address that makes a browser run code or open something of the user's machine. */
const harmfulForms = new Map<string, (rest: string) => boolean>([
  ['javascript', (rest) => /^[^ ]/.test(rest) || isScript(rest)],
  ['vbscript', (rest) => /^[^ ]|^ *[^ ]*[(=`;[]/.test(rest)],
  ['data', (rest) => /^(?:[;,]| *[a-z]+\/[a-z0-9.+*-]+[;,])/i.test(rest)],
  ['blob', (rest) => /^(?:https?:|null)/i.test(rest)],
  ['file', (rest) => rest.startsWith('/')],
  ['view-source', () => true],
  ['filesystem', () => true],
])
/** Length of the longest of these schemes. */
const maxSchemeLength = 'view-source'.length
/** The characters that may be hidden before and inside a scheme. */
const maxHiddenCharacters = 1_000

/**
 * Checks whether a text would run code or open a file if it were used as a link, also in disguise: capital letters, or
 * blanks and controls before and inside the scheme. A text that only begins with such a word, such as "JavaScript: The
 * Good Parts" or "Data: 12 May", is harmless. Source: WHATWG URL, sections 4.4 (stripping) and 6.3.
 */
export function isHarmfulAddress(text: string): boolean {
  const colon = text.indexOf(':')
  if (colon === -1) return false
  const scheme = readScheme(text.slice(0, colon).trimStart())
  if (scheme === null) return true
  const isHarmful = harmfulForms.get(scheme)
  return isHarmful !== undefined && isHarmful(text.slice(colon + 1).replace(/[\t\n\r]/g, ''))
}

/**
 * Reads the scheme before the colon, without the characters that browsers ignore or people do not see. Returns '' if
 * the scheme is too long to be a harmful one, and null if so many characters are hidden that it can only be a disguise.
 */
function readScheme(text: string): string | null {
  let scheme = ''
  for (let at = 0; at < text.length; at++) {
    if (at === maxHiddenCharacters) return null
    const character = text.charAt(at)
    if (/\s/.test(character) ? character !== ' ' || scheme === '' : hasHiddenCharacters(character)) continue
    scheme += character
    if (scheme.length > maxSchemeLength) return ''
  }
  return scheme.toLowerCase()
}

/** Checks whether a text is JavaScript that could have an effect. It is only compiled, never run. */
function isScript(text: string): boolean {
  const source = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (!/[(=`[]/.test(source)) return false
  try {
    void new Script(source)
    return true
  } catch (cause) {
    return !(cause instanceof SyntaxError)
  }
}
