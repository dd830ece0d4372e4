import type { JSONWebKeySet, JWTPayload } from 'jose'
import type { Outbound } from '../../../kernel/ports/outbound.ts'
import { readProviderKeys, type ProviderDocument } from './discovery.ts'
import { ProviderSignInError } from './failures.ts'
import type { Provider } from './providers.ts'

/** Algorithms that prove who signed: none of them is `none`, and none signs with the client's own secret. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA']
/** Seconds by which the clocks of the provider and of this machine may differ. */
const clockToleranceSeconds = 60
/** Maximum age of a token in seconds: it was made for this sign-in. */
const maxAgeSeconds = 600

/** What a token is checked against. */
export interface TokenExpectation {
  provider: Provider
  document: ProviderDocument
  nonce: string
}

/**
 * Verifies an ID token: signature, issuer, audience, expiry and nonce. A key that is not known is looked for again, once,
 * because providers rotate theirs. Source: OpenID Connect Core 1.0, section 3.1.3.7.
 * @throws ProviderSignInError `refused`, `unavailable`
 */
export async function verifyIdToken(
  outbound: Outbound,
  token: unknown,
  expectation: TokenExpectation,
): Promise<JWTPayload> {
  if (typeof token !== 'string') throw new ProviderSignInError('refused', 'the provider sent no ID token')
  const { errors } = await import('jose')
  const verify = async (isRenewed: boolean) =>
    verifyWithKeys(token, await readProviderKeys(outbound, expectation.document, isRenewed), expectation)
  try {
    return await verify(false).catch((cause: unknown) => {
      if (cause instanceof errors.JWKSNoMatchingKey) return verify(true)
      throw cause
    })
  } catch (cause) {
    throw cause instanceof errors.JOSEError
      ? new ProviderSignInError('refused', `the ID token is not valid: ${cause.message}`, { cause })
      : cause
  }
}

async function verifyWithKeys(
  token: string,
  keys: JSONWebKeySet,
  { provider: { issuer, clientId }, nonce }: TokenExpectation,
): Promise<JWTPayload> {
  const { createLocalJWKSet, jwtVerify } = await import('jose')
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer,
    audience: clientId,
    algorithms,
    requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
    clockTolerance: clockToleranceSeconds,
    maxTokenAge: maxAgeSeconds,
  })
  if (payload['nonce'] !== nonce) throw new ProviderSignInError('refused', 'the ID token is of another sign-in')
  const isShared = Array.isArray(payload.aud) && payload.aud.length > 1
  if ((isShared || payload['azp'] !== undefined) && payload['azp'] !== clientId)
    throw new ProviderSignInError('refused', 'the ID token was made for another client')
  return payload
}

const addressPattern = /^[^\s@"<>]+@[^\s@"<>]+$/
/** Source: RFC 3696, erratum 1690. */
const maxAddressLength = 254

/**
 * Returns the e-mail address that a token proves, in small letters. Only `email_verified: true` proves one: not `"true"`,
 * and not silence. @throws ProviderSignInError `unproven`
 */
export function readProvenEmail({ email, email_verified: isProven }: JWTPayload): string {
  if (isProven === true && typeof email === 'string' && email.length <= maxAddressLength && addressPattern.test(email))
    return email.toLowerCase()
  throw new ProviderSignInError('unproven', 'the provider has proven no e-mail address')
}
