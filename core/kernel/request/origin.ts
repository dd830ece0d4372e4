import { createProblem } from '../problem.ts'

type HeaderFields = Record<string, string | string[] | undefined>

/** Where a request was sent from: one of our own pages, a page of another site, or a program without a page. */
export type RequestSite = 'own' | 'foreign' | 'none'

/** Returns the origins of our own pages. */
export const getOwnOrigins = ({ baseUrl, publicUrl }: { baseUrl: string; publicUrl: string }): ReadonlySet<string> =>
  new Set([baseUrl, publicUrl].map((address) => new URL(address).origin))

/**
 * Finds out where a request was sent from. Browsers send Origin with every write; where it is absent, Sec-Fetch-Site
 * and then Referer decide. A page cannot set any of the three. The Origin `null` is not ours, so it is foreign. Source:
 * OWASP, Cross-Site Request Forgery Prevention, "Using Standard Headers to Verify Origin"; W3C, Fetch Metadata.
 */
export function getRequestSite(headers: HeaderFields, ownSites: ReadonlySet<string>): RequestSite {
  const origin = joinHeaderValues(headers['origin'])
  if (origin !== undefined) return ownSites.has(origin) ? 'own' : 'foreign'
  const fetchSite = joinHeaderValues(headers['sec-fetch-site'])
  if (fetchSite !== undefined) return fetchSite === 'same-origin' ? 'own' : fetchSite === 'none' ? 'none' : 'foreign'
  const referer = joinHeaderValues(headers['referer'])
  if (referer === undefined) return 'none'
  return URL.canParse(referer) && ownSites.has(new URL(referer).origin) ? 'own' : 'foreign'
}

/** Joins the values of a header that was sent twice, so that the result matches no origin. */
const joinHeaderValues = (field: string | string[] | undefined): string | undefined =>
  field === undefined ? undefined : [field].flat().join(', ')

export const createOriginMismatchProblem = () =>
  createProblem('AUTH_ORIGIN_MISMATCH', 'This has to come from one of our own pages. Open the page here and try again.')
