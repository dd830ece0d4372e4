import { problem } from './problem.ts'

type Headers = Record<string, string | string[] | undefined>

/** Where a request was sent from: a page of ours, a page of somebody else, or no page: a program. */
export type Site = 'own' | 'foreign' | 'none'

/** Lists the origins whose pages are ours. */
export const ownOrigins = ({ baseUrl, publicUrl }: { baseUrl: string; publicUrl: string }): ReadonlySet<string> =>
  new Set([baseUrl, publicUrl].map((address) => new URL(address).origin))

/**
 * Tells where a request was sent from. Browsers say so in Origin on every write; where that is absent Sec-Fetch-Site and
 * then Referer speak. A page cannot set any of the three. `null` as Origin is nobody's, so it is foreign.
 * Source: OWASP, Cross-Site Request Forgery Prevention, "Using Standard Headers to Verify Origin"; W3C, Fetch Metadata.
 */
export function siteOf(headers: Headers, own: ReadonlySet<string>): Site {
  const origin = single(headers['origin'])
  if (origin !== undefined) return own.has(origin) ? 'own' : 'foreign'
  const fetchSite = single(headers['sec-fetch-site'])
  if (fetchSite !== undefined) return fetchSite === 'same-origin' ? 'own' : fetchSite === 'none' ? 'none' : 'foreign'
  const referer = single(headers['referer'])
  if (referer === undefined) return 'none'
  return URL.canParse(referer) && own.has(new URL(referer).origin) ? 'own' : 'foreign'
}

/** A field sent twice is nobody's word. */
const single = (field: string | string[] | undefined): string | undefined => (field === undefined ? undefined : [field].flat().join(', '))

export const originMismatch = () =>
  problem('AUTH_ORIGIN_MISMATCH', 'This has to come from one of our own pages. Open the page here and try again.')
