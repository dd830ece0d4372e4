/** The characters that an address may have. Source: WHATWG URL Standard, section 4.3; SPARQL 1.1, IRIREF. */
export const addressPattern = /^[^\s\p{Cc}<>"{}|\\^`]+$/u
const schemePattern = /^[a-z][a-z\d+.-]*:/i

/** Checks whether a value is a text with an absolute URL that all parsers read alike. */
export const isUrl = (value: unknown): value is string =>
  typeof value === 'string' && schemePattern.test(value) && addressPattern.test(value) && URL.canParse(value)

/** Checks whether a context can map this text as a term. Source: JSON-LD 1.1, section 4.1. */
export const isTerm = (value: string): boolean => /^[^\s@:][^\s:]*$/.test(value)

/** Maximum length of a language tag. */
const maxTagLength = 100
const languageTagPattern = new RegExp(
  `^(?:${[
    // Language, script, region, variants, extensions and private use, in this order.
    '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\\d{3}))?'
      + '(?:-(?:[a-z\\d]{5,8}|\\d[a-z\\d]{3}))*(?:-[a-wy-z\\d](?:-[a-z\\d]{2,8})+)*(?:-x(?:-[a-z\\d]{1,8})+)?',
    'x(?:-[a-z\\d]{1,8})+',
    'i-[a-z]{3,8}',
    'en-gb-oed',
    'sgn-(?:be-fr|be-nl|ch-de)',
  ].join('|')})$`,
  'i',
)

/** Checks whether a value is a well-formed language tag. Source: BCP 47 (RFC 5646), section 2.1. */
export const isLanguageTag = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= maxTagLength && languageTagPattern.test(value)

/** The grammar of a media type with parameters. Source: RFC 6838, section 4.2; RFC 9110, section 8.3.1. */
const mediaTypeNamePattern = '[a-z\\d][\\w!#$&^.+-]{0,126}'
const tokenPattern = "[\\w!#$%&'*+.^`|~-]+"
const mediaTypePattern = new RegExp(
  `^${mediaTypeNamePattern}/${mediaTypeNamePattern}(?:\\s*;\\s*${tokenPattern}=(?:${tokenPattern}|"[^"\\\\]*"))*$`,
  'i',
)

export const isMediaType = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 300 && mediaTypePattern.test(value)
