import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Network } from '../../../chains/networks.ts'
import type { RequestDetails } from '../../../kernel/operation.ts'
import type { Context } from '../../../kernel/work.ts'
import { hashForRealm, type AuthContext, type Realm } from '../auth.ts'
import { formatCookie } from '../sessions.ts'
import { codeLifetimeSeconds, markUsed } from '../sign-in/one-time-codes.ts'
import type { ProviderName } from './providers.ts'

const cookieName = 'tessera.attempt'
/** The only pages that the cookie is sent to. */
const cookiePath = '/sign-in'

/** A sign-in that a browser has begun and that a provider of identities has to confirm. */
export interface SignInAttempt {
  /** 256 random bits in base64url, which the provider gives back. */
  state: string
  provider: ProviderName
  application: string
  network: Network
  /** Where the browser goes in the end. */
  redirect: string
  /** When it began, in milliseconds since 1970. */
  at: number
}

type Parts = Pick<AuthContext, 'settings'>

const createRealm = ({ application }: Pick<SignInAttempt, 'application'>): Realm => ({ kind: 'endUser', application })

/** Begins an attempt. */
export const createAttempt = (values: Omit<SignInAttempt, 'state' | 'at'>): SignInAttempt => ({
  ...values,
  state: randomBytes(32).toString('base64url'),
  at: Date.now(),
})

/**
 * Derives what proves that one and the same server began and ends an attempt: the verifier of PKCE and the nonce. They
 * are stored nowhere. Source: RFC 7636, section 4.1; OpenID Connect Core 1.0, section 3.1.2.1.
 */
export const deriveAttemptSecrets = (parts: Parts, attempt: SignInAttempt): { verifier: string; nonce: string } => ({
  verifier: hashForRealm(parts, createRealm(attempt), `verifier:${attempt.provider}:${attempt.state}`),
  nonce: hashForRealm(parts, createRealm(attempt), `nonce:${attempt.provider}:${attempt.state}`),
})

const sign = (parts: Parts, text: string): string =>
  hashForRealm(parts, { kind: 'endUser', application: null }, `attempt:${text}`)

/** Creates the Set-Cookie field that keeps an attempt in the browser that began it, signed, for 10 minutes. */
export function createAttemptCookie({ settings }: Pick<Context, 'settings'>, attempt: SignInAttempt): string {
  const text = Buffer.from(JSON.stringify(attempt)).toString('base64url')
  return formatCookie({ settings }, cookieName, `${text}.${sign({ settings }, text)}`, codeLifetimeSeconds, cookiePath)
}

/**
 * Finds the attempt that a browser has begun with a provider.
 * @param state what the provider gave back
 * @returns null if this browser began none, or another one, or one that is older than 10 minutes
 */
export function findAttempt(
  parts: Parts,
  headers: RequestDetails['headers'],
  { provider, state }: { provider: ProviderName; state: string | undefined },
): SignInAttempt | null {
  const cookies = [headers['cookie']].flat().join('; ')
  const [, text = '', signature = ''] = new RegExp(`(?:^|; )${cookieName}=([\\w-]+)\\.([\\w-]+)`).exec(cookies) ?? []
  if (state === undefined || !isEqual(signature, sign(parts, text))) return null
  const attempt = JSON.parse(Buffer.from(text, 'base64url').toString()) as SignInAttempt
  const isCurrent = attempt.at + codeLifetimeSeconds * 1000 > Date.now()
  return isCurrent && attempt.provider === provider && isEqual(state, attempt.state) ? attempt : null
}

/** Ends an attempt. @returns whether it was still open: of concurrent requests one ends it */
export const endAttempt = (parts: AuthContext, attempt: SignInAttempt): Promise<boolean> =>
  markUsed(parts, createRealm(attempt), `attempt:${attempt.state}`)

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}
