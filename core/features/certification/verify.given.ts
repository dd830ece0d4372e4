import { findHazards } from '../../kernel/hazards.ts'
import { parseStrictly } from '../../kernel/json.ts'
import { invalid } from '../../kernel/problem.ts'
import { payloadOf } from './jose.ts'
import { asList, isObject, type Json } from './verify.doubt.ts'

/** A credential with what secures it: proofs of its own, or the token around it. */
export type Secured =
  | { form: 'ld'; credential: Json }
  | { form: 'jwt'; credential: Json; token: string; header: Json }

const enveloped = 'data:application/vc+jwt,'

/**
 * A credential as it was given: an object, a compact JWS, or an object that envelops one. What its parts say is not
 * looked at, but that it is a credential. @param path of what was given. @throws VALIDATION_FAILED
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4.5 and 4.13; VC-JOSE-COSE, section 3.1.1.
 */
export function securedOf(given: unknown, path: string): Secured {
  if (typeof given === 'string') return ofToken(given.trim(), path)
  if (!isObject(given)) throw refused(path, 'must be a credential: an object, or a compact JWS')
  const { id } = given
  if (isOf(given, 'EnvelopedVerifiableCredential') && typeof id === 'string' && id.startsWith(enveloped)) {
    return ofToken(id.slice(enveloped.length), below(path, 'id'))
  }
  return { form: 'ld', credential: credentialIn(given, path) }
}

function ofToken(token: string, path: string): Secured {
  const payload = payloadOf(token)
  const header = payload && parseStrictly(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url'))
  if (!payload || !isObject(header)) throw refused(path, 'must be a compact JWS: three parts in base64url joined by dots')
  return { form: 'jwt', credential: credentialIn(payloadIn(payload, path), path), token, header }
}

/** @throws VALIDATION_FAILED for what readers would take differently: a member named twice */
function payloadIn(payload: Buffer, path: string): unknown {
  const value = parseStrictly(payload)
  if (value === undefined) throw refused(path, 'has a payload that is no JSON in UTF-8, or names a member twice')
  return value
}

/** @throws VALIDATION_FAILED for what is none, or has no one spelling: nesting without end, text that is no text */
function credentialIn(value: unknown, path: string): Json {
  if (!isObject(value)) throw refused(path, 'must be a credential: an object')
  if (!isOf(value, 'VerifiableCredential')) {
    throw refused(below(path, 'type'), 'must name VerifiableCredential: without it this is no credential')
  }
  const [hazard] = findHazards(value, null).hazards
  if (hazard) throw refused(path, `cannot be judged, as its ${hazard.path} ${hazard.message}`)
  return value
}

const isOf = ({ type }: Json, name: string) => asList(type).includes(name)
const below = (path: string, name: string) => (path === 'body' ? name : `${path}.${name}`)
const refused = (path: string, message: string) => invalid([{ path, code: 'not_a_credential', message }])
