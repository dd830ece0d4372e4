import { parseStrictly } from '../../kernel/json.ts'
import { credentialTypes, type CredentialType } from './accept.ts'
import { contentHash, contentOf } from './content.ts'
import { payloadOf } from './jose.ts'

/** The media types that a hosted certificate may come as. */
export const hostedTypes = [...credentialTypes, 'application/json'] as const

/** Milliseconds for everything, and bytes of a hosted certificate. */
export const hostedLimits = { patience: 10_000, most: 4 * 1024 * 1024 }

/** The form of a hosted certificate: what is no token is taken for the embedded form. */
export const hostedForm = (type: string): CredentialType =>
  type === 'application/vc+jwt' || type === 'application/vc' ? type : 'application/ld+json'

/**
 * The content hash of a certificate that somebody else keeps, or null where there is none to be read out of it: no
 * JSON in UTF-8, a member named twice, no token in its one spelling, no subject.
 */
export function hashOfHosted(body: Buffer, form: CredentialType): string | null {
  const text = form === 'application/vc+jwt' ? payloadOf(body.toString('latin1').trim()) : body
  const content = text === null ? null : contentOf(parseStrictly(text))
  if (content === null) return null
  try {
    return contentHash(content)
  } catch {
    return null
  }
}
