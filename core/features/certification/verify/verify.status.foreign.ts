import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseStrictJson } from '../../../kernel/json/json.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { decodeBase64url } from '../../../kernel/text/base64url.ts'
import { combineOutcomes, isObject, type JsonObject, toList, VerificationError } from '../formats/index.ts'
import { parseSecuredCredential, type SecuredCredential } from './verify.input.ts'
import { getIssuerId, verifyProofs } from './verify.proof.ts'
import type { VerificationFetcher } from '../contexts/index.ts'
import { parseStatusMessages, type StatusEntry } from './verify.status.entry.ts'
import { checkValidity } from './verify.times.ts'

/** An unpacked list, with the messages for its values if it has any. */
export interface StatusList {
  bits: Buffer
  messages: Map<number, string> | null
}

/** Media types with which hosts serve a list. */
const listMediaTypes = [
  'application/vc+jwt',
  'application/vc',
  'application/vc+ld+json',
  'application/ld+json',
  'application/json',
  'application/jwt',
]
/**
 * Limits of a list: bytes as fetched, bytes unpacked, and the minimum number of entries. Source: W3C Bitstring Status
 * List 1.0, section 6.1.
 */
const listLimits = { maxFetchedBytes: 4 * 1024 * 1024, maxUnpackedBytes: 16 * 1024 * 1024, minEntries: 131_072 }

const unpack = promisify(gunzip)

/**
 * Fetches and verifies a list of another host, in either secured form. The list must have the same issuer as the
 * credential: another issuer could keep the list, but nothing here shows that the credential's issuer trusts it.
 * @throws VerificationError
 * Source: W3C Bitstring Status List 1.0, sections 2.2 and 3.2.
 */
export async function fetchForeignList(
  fetcher: VerificationFetcher,
  entry: StatusEntry,
  issuer: string,
): Promise<StatusList> {
  const { body, type } = await fetcher.get('Its status list', entry.list, listMediaTypes, listLimits.maxFetchedBytes)
  const secured = parseListCredential(body, type)
  const { credential } = secured
  if (getIssuerId(credential) !== issuer)
    throw new VerificationError('Its status list has another issuer than the credential')
  if (typeof credential['id'] === 'string' && credential['id'] !== entry.list)
    throw new VerificationError('Its status list says that it is another one')
  const subject = getListSubject(credential)
  checkValidity(credential, fetcher.context.clock.now())
  const { issuer: issuerResult, key, proof } = await verifyProofs(fetcher, secured)
  const outcome = combineOutcomes([issuerResult.ok, key.ok, proof.ok])
  const worstResult = [issuerResult, key, proof].find(({ ok }) => ok === outcome)
  if (outcome === false) throw new VerificationError(`Its status list does not hold: ${worstResult?.detail}`)
  if (outcome === null)
    throw new VerificationError(`Its status list cannot be judged: ${worstResult?.detail}`, { unknown: true })
  const messages = parseListMessages(subject, entry)
  const bits = await decodeListBits(subject)
  if ((bits.length * 8) / entry.size < listLimits.minEntries)
    throw new VerificationError(`Its status list has fewer than ${listLimits.minEntries} entries`)
  return { bits, messages }
}

/** Returns the subject of a list credential. @throws VerificationError */
function getListSubject(credential: JsonObject): JsonObject {
  const subject = toList(credential['credentialSubject']).find(isObject)
  if (
    !toList(credential['type']).includes('BitstringStatusListCredential')
    || subject?.['type'] !== 'BitstringStatusList'
  ) {
    throw new VerificationError('Its status list is no Bitstring Status List')
  }
  return subject
}

/**
 * Parses the messages for a list's values, which a list of messages must have; null for every other list.
 * @throws VerificationError
 */
function parseListMessages(
  { statusPurpose, statusSize, statusMessages }: JsonObject,
  { purpose, size }: StatusEntry,
): StatusList['messages'] {
  const purposes = toList(statusPurpose)
  if (purposes.length === 0 || !purposes.every((one) => typeof one === 'string'))
    throw new VerificationError('Its status list names no purpose')
  if (!purposes.includes(purpose)) throw new VerificationError('Its status list is for another purpose')
  if (statusSize !== undefined && statusSize !== size)
    throw new VerificationError('Its status list has entries of another size')
  if (purpose !== 'message') return null
  if (statusSize === undefined)
    throw new VerificationError('Its status list is one of messages, and does not say of how many bits')
  return parseStatusMessages(statusMessages, size)
}

/** Parses the credential of a list. @throws VerificationError */
function parseListCredential(body: Buffer, type: string): SecuredCredential {
  const text = body.toString('utf8').trim()
  const isToken = type.includes('jwt') || !text.startsWith('{')
  try {
    return parseSecuredCredential(isToken ? text : parseStrictJson(body), 'body')
  } catch (cause) {
    if (cause instanceof ProblemError) throw new VerificationError('Its status list is no credential', { cause })
    throw cause
  }
}

/**
 * Decodes the bits of a list: multibase in base64url without padding, then GZIP.
 * @throws VerificationError also if the bits exceed the limit
 */
async function decodeListBits({ encodedList }: JsonObject): Promise<Buffer> {
  const packed =
    typeof encodedList === 'string' && encodedList.startsWith('u') ? decodeBase64url(encodedList.slice(1)) : null
  if (!packed) throw new VerificationError('Its status list is not encoded as it has to be')
  return unpack(packed, { maxOutputLength: listLimits.maxUnpackedBytes }).catch((cause: unknown) => {
    throw new VerificationError('Its status list does not unpack, or to more than is read', { cause })
  })
}
