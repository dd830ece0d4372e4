/** Characters that addresses may have. Source: WHATWG URL Standard, section 4.3; SPARQL 1.1, IRIREF. */
export const loose = /^[^\s\p{Cc}<>"{}|\\^`]+$/u
const absolute = /^[a-z][a-z\d+.-]*:/i

/** An absolute URL in a spelling that everyone reads alike, as text. */
export const isUrl = (value: unknown): value is string =>
  typeof value === 'string' && absolute.test(value) && loose.test(value) && URL.canParse(value)

/** What a context may give a meaning to. Source: JSON-LD 1.1, section 4.1. */
export const isTerm = (value: string): boolean => /^[^\s@:][^\s:]*$/.test(value)

/** Characters of a language tag; none that is meant has more. */
const longestTag = 100
const language = new RegExp(`^(?:${[
  // Language, script, region, variants, extensions and what is private, in this order.
  '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\\d{3}))?' +
    '(?:-(?:[a-z\\d]{5,8}|\\d[a-z\\d]{3}))*(?:-[a-wy-z\\d](?:-[a-z\\d]{2,8})+)*(?:-x(?:-[a-z\\d]{1,8})+)?',
  'x(?:-[a-z\\d]{1,8})+',
  'i-[a-z]{3,8}', 'en-gb-oed', 'sgn-(?:be-fr|be-nl|ch-de)',
].join('|')})$`, 'i')

/** A well-formed language tag. Source: BCP 47 (RFC 5646), section 2.1. */
export const isLanguage = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= longestTag && language.test(value)

/** Source: RFC 6838, section 4.2, with the parameters of RFC 9110, section 8.3.1. */
const name = '[a-z\\d][\\w!#$&^.+-]{0,126}'
const token = "[\\w!#$%&'*+.^`|~-]+"
const mediaType = new RegExp(`^${name}/${name}(?:\\s*;\\s*${token}=(?:${token}|"[^"\\\\]*"))*$`, 'i')

export const isMediaType = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 300 && mediaType.test(value)
