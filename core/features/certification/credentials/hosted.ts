import { parseStrictJson } from '../../../kernel/json/json.ts'
import { type CredentialMediaType, credentialMediaTypes, hashContent, parseCertifiedContent } from '../formats/index.ts'
import { parseJwsPayload } from '../suites/index.ts'

/** Media types that a hosted certificate may have. */
export const hostedMediaTypes = [...credentialMediaTypes, 'application/json'] as const

/** Limits of a hosted certificate: milliseconds for the whole fetch, and bytes. */
export const hostedFetchLimits = { timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 }

/** Returns the form of a hosted certificate; every other media type counts as `application/ld+json`. */
export const getHostedForm = (type: string): CredentialMediaType =>
  type === 'application/vc+jwt' || type === 'application/vc' ? type : 'application/ld+json'

/**
 * Computes the content hash of a certificate that another host keeps. Returns null if the certificate has no readable
 * content: no JSON in UTF-8, a member that occurs twice, a token that is not in its canonical spelling, or no subject.
 */
export function hashHostedContent(body: Buffer, form: CredentialMediaType): string | null {
  const text = form === 'application/vc+jwt' ? parseJwsPayload(body.toString('latin1').trim()) : body
  const content = text === null ? null : parseCertifiedContent(parseStrictJson(text))
  if (content === null) return null
  try {
    return hashContent(content)
  } catch {
    return null
  }
}
