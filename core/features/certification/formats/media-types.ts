import { parsePreferences, type AcceptPreference } from '../../../kernel/text/accept-header.ts'

/**
 * Media types of a credential. Source: W3C Verifiable Credentials Data Model 2.0, appendix C; VC-JOSE-COSE, section 6.
 */
export const credentialMediaTypes = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const
export type CredentialMediaType = (typeof credentialMediaTypes)[number]

/**
 * Returns the media ranges that include a type, the most specific first; the most specific range of a request decides.
 */
const getMediaRanges = (type: string) => [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']

/**
 * Chooses the offered type with the highest quality in an Accept field; among equals the first offer. Ignores
 * parameters of a range other than `q`.
 * @returns null if the field accepts none
 * Source: RFC 9110, section 12.5.1
 */
export function negotiateMediaType<T extends string>(accept: string | undefined, offers: readonly T[]): T | null {
  const ranges = parsePreferences(accept === undefined || accept.trim() === '' ? '*/*' : accept)
  let best: { offer: T; quality: number } | null = null
  for (const offer of offers) {
    const quality = getQuality(offer, ranges)
    if (quality > (best?.quality ?? 0)) best = { offer, quality }
  }
  return best?.offer ?? null
}

function getQuality(offer: string, ranges: readonly AcceptPreference[]): number {
  for (const mediaRange of getMediaRanges(offer)) {
    const found = ranges.filter(({ name }) => name === mediaRange)
    if (found.length > 0) return Math.max(...found.map(({ quality }) => quality))
  }
  return 0
}
