import { parseStrictly } from '../../kernel/json.ts'
import type { Credential } from './credential.ts'
import { tokenMethodOf } from './did.ts'
import type { Signer } from './proofs.ts'
import { isObject, type Json } from './verify.doubt.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64url')

/** The protected header of one key's tokens. */
const headerOf = (kid: string) => encoded(JSON.stringify({ alg: 'EdDSA', typ: 'vc+jwt', cty: 'vc', kid }))

/**
 * Secures a credential as a compact JWS whose payload is the credential as it is. Written here, as our keys sign bytes
 * and never leave their holder, and as the library takes three times as long; the library verifies it in the tests.
 * Source: RFC 7515, section 5.1; W3C VC-JOSE-COSE, section 3.1.1.
 */
export function signJwt(credential: Credential, signer: Signer): string {
  const input = `${headerOf(tokenMethodOf(signer.verificationMethod))}.${encoded(JSON.stringify(credential))}`
  return `${input}.${signer.sign(Buffer.from(input)).toString('base64url')}`
}

/**
 * The payload of a compact JWS, its signature unjudged. @returns null for what is no such token in its one spelling
 */
export function payloadOf(token: string): Buffer | null {
  const parts = token.split('.')
  const decoded = parts.map(decode)
  return parts.length === 3 && decoded.every((part) => part !== null) ? (decoded[1] ?? null) : null
}

/** The same with its header. @returns null also where that is no object, or names a member twice */
export function openToken(token: string): { header: Json; payload: Buffer } | null {
  const payload = payloadOf(token)
  const header = payload && parseStrictly(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url'))
  return payload && isObject(header) ? { header, payload } : null
}

/** Bytes in base64url without padding; null for another alphabet, or for bits that say nothing. Source: RFC 4648, section 3.5. */
function decode(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return text !== '' && bytes.toString('base64url') === text ? bytes : null
}
