import { findHazards } from '../../kernel/hazards.ts'
import { parseStrictly } from '../../kernel/json.ts'
import { invalid } from '../../kernel/problem.ts'
import { openToken } from './jose.ts'
import { isOfFirstModel } from './model.contexts.ts'
import { below } from './model.faults.ts'
import { refuseMalformed, refuseMalformedEnvelope } from './model.ts'
import { asList, isObject, type Json } from './verify.doubt.ts'

/** A credential with what secures it: proofs of its own, or the token around it. */
export type Secured =
  | { form: 'ld'; credential: Json }
  | { form: 'jwt'; credential: Json; token: string; header: Json }

const enveloped = 'data:application/vc+jwt,'

/**
 * A credential as it was given: an object, a compact JWS, or an object that envelops one, well-formed by the Data Model
 * 2.0, or 1.1 with a proof of its own: tokens of that version are of another form. @param path of what was given. @throws VALIDATION_FAILED with every fault
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4.5 and 4.13; VC-JOSE-COSE, section 3.1.1.
 */
export function securedOf(given: unknown, path: string): Secured {
  if (typeof given === 'string') return ofToken(given.trim(), path)
  if (!isObject(given)) throw refused(path, 'must be a credential: an object, or a compact JWS')
  if (!isOf(given, 'EnvelopedVerifiableCredential')) return { form: 'ld', credential: credentialIn(given, path) }
  refuseMalformedEnvelope(given, 'EnvelopedVerifiableCredential', path)
  const id = String(given['id'])
  if (!id.startsWith(enveloped)) throw refused(below(path, 'id'), `must begin with ${enveloped}: what is enveloped otherwise is not read here`)
  return ofToken(id.slice(enveloped.length), below(path, 'id'))
}

function ofToken(token: string, path: string): Secured {
  const opened = openToken(token)
  if (!opened) throw refused(path, 'must be a compact JWS: three parts in base64url joined by dots')
  const { header, payload } = opened
  const credential = payloadIn(payload, path)
  if (isObject(credential) && isOfFirstModel(credential)) throw invalid([{ path: `${below(path, '@context')}[0]`, ...ofFirst }])
  return { form: 'jwt', credential: credentialIn(credential, path), token, header }
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
  refuseMalformed(value, path)
  return value
}

const ofFirst = { code: 'data_model_1', message: 'is of the Data Model 1.1, which has no such token; vc+jwt is of 2.0' }
const isOf = ({ type }: Json, name: string) => asList(type).includes(name)
const refused = (path: string, message: string) => invalid([{ path, code: 'not_a_credential', message }])
