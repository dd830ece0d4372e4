import { parseStrictJson } from '../../../kernel/json/json.ts'
import { decodeBase64url } from '../../../kernel/text/base64url.ts'
import type { Credential } from '../contexts/index.ts'
import { toJoseMethodId } from '../keys/index.ts'
import type { CredentialSigner } from './proofs.ts'
import { isObject, type JsonObject } from '../formats/index.ts'

const encodeBase64url = (text: string) => Buffer.from(text).toString('base64url')

/** Creates the protected header of the tokens of one key. */
const createProtectedHeader = (kid: string) =>
  encodeBase64url(JSON.stringify({ alg: 'EdDSA', typ: 'vc+jwt', cty: 'vc', kid }))

/**
 * Secures a credential as a compact JWS whose payload is the unchanged credential. This code does not use the library
 * because our keys only sign bytes and never leave their holder, and because the library takes three times as long; the
 * tests verify the tokens with the library. Source: RFC 7515, section 5.1; W3C VC-JOSE-COSE, section 3.1.1.
 */
export function signJwt(credential: Credential, signer: CredentialSigner): string {
  const input = `${createProtectedHeader(toJoseMethodId(signer.verificationMethod))}.${encodeBase64url(JSON.stringify(credential))}`
  return `${input}.${signer.sign(Buffer.from(input)).toString('base64url')}`
}

/**
 * Reads the payload of a compact JWS without verifying its signature.
 * @returns null if the token is no such JWS in its canonical spelling
 */
export function parseJwsPayload(token: string): Buffer | null {
  const parts = token.split('.')
  const decoded = parts.map((part) => (part === '' ? null : decodeBase64url(part)))
  return parts.length === 3 && decoded.every((part) => part !== null) ? (decoded[1] ?? null) : null
}

/**
 * Reads the header and the payload of a compact JWS.
 * @returns null also if the header is no object or names a member twice
 */
export function parseJws(token: string): { header: JsonObject; payload: Buffer } | null {
  const payload = parseJwsPayload(token)
  const header = payload && parseStrictJson(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url'))
  return payload && isObject(header) ? { header, payload } : null
}
