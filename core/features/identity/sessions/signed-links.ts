import { timingSafeEqual } from 'node:crypto'
import { hashForRealm, type AuthContext } from '../auth.ts'

type Parts = Pick<AuthContext, 'settings'>

/**
 * Signs a link of ours to a page of members.
 * @param purpose what the page is for; a signature for one purpose is none for another
 * @param id what the link names
 * @returns 43 characters of base64url
 */
export const signLink = (parts: Parts, purpose: string, id: string): string =>
  hashForRealm(parts, { kind: 'member', application: null }, `link:${purpose}:${id}`)

/** Checks whether we have signed a link, in a time that does not depend on the signature. */
export function isSignedLink(parts: Parts, purpose: string, { id, signature }: SignedLink): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(signLink(parts, purpose, id))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The parts of a signed link. */
export interface SignedLink {
  id: string
  signature: string
}
