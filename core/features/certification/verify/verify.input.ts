import { findHazards } from '../../../kernel/json/hazards.ts'
import { parseStrictJson } from '../../../kernel/json/json.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import { parseJws } from '../suites/index.ts'
import { assertValidCredential, assertValidEnvelope, isDataModel1, joinPath } from '../model/index.ts'
import { isObject, type JsonObject, toList } from '../formats/index.ts'

/** A credential with its form: with embedded proofs, or in a token. */
export type SecuredCredential =
  { form: 'ld'; credential: JsonObject } | { form: 'jwt'; credential: JsonObject; token: string; header: JsonObject }

const envelopePrefix = 'data:application/vc+jwt,'

/**
 * Parses a credential: an object, a compact JWS, or an object that envelops one. It must be well-formed by the Data
 * Model 2.0; an object may also be of 1.1, but tokens of 1.1 have another format and are refused.
 * @param path path of the input
 * @throws VALIDATION_FAILED with every issue
 * Source: W3C Verifiable Credentials Data Model 2.0, sections 4.5 and 4.13; VC-JOSE-COSE, section 3.1.1.
 */
export function parseSecuredCredential(input: unknown, path: string): SecuredCredential {
  if (typeof input === 'string') return parseCredentialToken(input.trim(), path)
  if (!isObject(input)) throw createInvalidCredentialProblem(path, 'must be a credential: an object, or a compact JWS')
  if (!hasType(input, 'EnvelopedVerifiableCredential')) return { form: 'ld', credential: parseCredential(input, path) }
  assertValidEnvelope(input, 'EnvelopedVerifiableCredential', path)
  const id = String(input['id'])
  if (!id.startsWith(envelopePrefix))
    throw createInvalidCredentialProblem(
      joinPath(path, 'id'),
      `must begin with ${envelopePrefix}: what is enveloped otherwise is not read here`,
    )
  return parseCredentialToken(id.slice(envelopePrefix.length), joinPath(path, 'id'))
}

function parseCredentialToken(token: string, path: string): SecuredCredential {
  const opened = parseJws(token)
  if (!opened)
    throw createInvalidCredentialProblem(path, 'must be a compact JWS: three parts in base64url joined by dots')
  const { header, payload } = opened
  const credential = parsePayload(payload, path)
  if (isObject(credential) && isDataModel1(credential))
    throw createValidationProblem([{ path: `${joinPath(path, '@context')}[0]`, ...dataModel1Issue }])
  return { form: 'jwt', credential: parseCredential(credential, path), token, header }
}

/**
 * Parses the payload of a token.
 * @throws VALIDATION_FAILED if it is no JSON in UTF-8, or names a member twice, which readers would take differently
 */
function parsePayload(payload: Buffer, path: string): unknown {
  const value = parseStrictJson(payload)
  if (value === undefined)
    throw createInvalidCredentialProblem(path, 'has a payload that is no JSON in UTF-8, or names a member twice')
  return value
}

/**
 * Validates a parsed credential.
 * @throws VALIDATION_FAILED if it is no credential, or has no canonical text, for example because its nesting is too
 * deep
 */
function parseCredential(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw createInvalidCredentialProblem(path, 'must be a credential: an object')
  if (!hasType(value, 'VerifiableCredential')) {
    throw createInvalidCredentialProblem(
      joinPath(path, 'type'),
      'must name VerifiableCredential: without it this is no credential',
    )
  }
  const [hazard] = findHazards(value, null).hazards
  if (hazard) throw createInvalidCredentialProblem(path, `cannot be judged, as its ${hazard.path} ${hazard.message}`)
  assertValidCredential(value, path)
  return value
}

const dataModel1Issue = {
  code: 'data_model_1',
  message: 'is of the Data Model 1.1, which has no such token; vc+jwt is of 2.0',
}
const hasType = ({ type }: JsonObject, name: string) => toList(type).includes(name)
const createInvalidCredentialProblem = (path: string, message: string) =>
  createValidationProblem([{ path, code: 'not_a_credential', message }])
