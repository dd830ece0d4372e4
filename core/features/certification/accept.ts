import { wishesIn, type Wish } from '../../kernel/weights.ts'

/** Media types of a credential. Source: W3C Verifiable Credentials Data Model 2.0, appendix C; VC-JOSE-COSE, section 6. */
export const credentialTypes = ['application/ld+json', 'application/vc', 'application/vc+jwt'] as const
export type CredentialType = (typeof credentialTypes)[number]

/** The range that says most about a type decides about it. */
const precisions = (type: string) => [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']

/**
 * Which of the offered types a reader likes best; among equals the first. Parameters of a range other than `q` are
 * passed over. @returns null where it takes none. Source: RFC 9110, section 12.5.1
 */
export function negotiate<T extends string>(accept: string | undefined, offers: readonly T[]): T | null {
  const ranges = wishesIn(accept === undefined || accept.trim() === '' ? '*/*' : accept)
  let best: { offer: T; quality: number } | null = null
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality > (best?.quality ?? 0)) best = { offer, quality }
  }
  return best?.offer ?? null
}

function qualityOf(offer: string, ranges: readonly Wish[]): number {
  for (const precise of precisions(offer)) {
    const found = ranges.filter(({ name }) => name === precise)
    if (found.length > 0) return Math.max(...found.map(({ quality }) => quality))
  }
  return 0
}
