import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseStrictly } from '../../kernel/json.ts'
import { Problem } from '../../kernel/problem.ts'
import { asList, combineOutcomes, Doubt, isObject, type Json } from './verify.doubt.ts'
import { securedOf, type Secured } from './verify.given.ts'
import { issuerIn, proofOf } from './verify.proof.ts'
import type { Reach } from './verify.reach.ts'
import { messagesFor, type Entry } from './verify.status.entry.ts'
import { validityOf } from './verify.times.ts'

/** A list, unpacked, with the messages of its values where it has some. */
export interface StatusList { bits: Buffer; messages: Map<number, string> | null }

/** Media types of a list, as hosts answer them. */
const types = ['application/vc+jwt', 'application/vc', 'application/vc+ld+json', 'application/ld+json', 'application/json', 'application/jwt']
/** Bytes of a list as it comes, and unpacked; and the fewest entries. Source: W3C Bitstring Status List 1.0, section 6.1. */
const sizes = { fetched: 4 * 1024 * 1024, unpacked: 16 * 1024 * 1024, fewest: 131_072 }

const unpack = promisify(gunzip)

/**
 * A list that somebody else keeps, in either secured form: issued by the same issuer as the credential (another one may
 * keep it, but nothing shows here that the issuer trusts it), its own proof judged. @throws Doubt
 * Source: W3C Bitstring Status List 1.0, sections 2.2 and 3.2.
 */
export async function foreignList(reach: Reach, entry: Entry, issuer: string): Promise<StatusList> {
  const { body, type } = await reach.get('Its status list', entry.list, types, sizes.fetched)
  const secured = listOf(body, type)
  const { credential } = secured
  if (issuerIn(credential) !== issuer) throw new Doubt('Its status list has another issuer than the credential')
  if (typeof credential['id'] === 'string' && credential['id'] !== entry.list) throw new Doubt('Its status list says that it is another one')
  const subject = subjectOf(credential)
  validityOf(credential, reach.context.clock.now())
  const { issuer: issued, key, proof } = await proofOf(reach, secured)
  const outcome = combineOutcomes([issued.ok, key.ok, proof.ok])
  const worst = [issued, key, proof].find(({ ok }) => ok === outcome)
  if (outcome === false) throw new Doubt(`Its status list does not hold: ${worst?.detail}`)
  if (outcome === null) throw new Doubt(`Its status list cannot be judged: ${worst?.detail}`, { unknown: true })
  const messages = wordsOf(subject, entry)
  const bits = await bitsIn(subject)
  if (bits.length * 8 / entry.size < sizes.fewest) throw new Doubt(`Its status list has fewer than ${sizes.fewest} entries`)
  return { bits, messages }
}

/** @throws Doubt */
function subjectOf(credential: Json): Json {
  const subject = asList(credential['credentialSubject']).find(isObject)
  if (!asList(credential['type']).includes('BitstringStatusListCredential') || subject?.['type'] !== 'BitstringStatusList') {
    throw new Doubt('Its status list is no Bitstring Status List')
  }
  return subject
}

/** What the values of a list mean, where it says so: it has to where it is one of messages. @throws Doubt */
function wordsOf({ statusPurpose, statusSize, statusMessages }: Json, { purpose, size }: Entry): StatusList['messages'] {
  const purposes = asList(statusPurpose)
  if (purposes.length === 0 || !purposes.every((one) => typeof one === 'string')) throw new Doubt('Its status list names no purpose')
  if (!purposes.includes(purpose)) throw new Doubt('Its status list is for another purpose')
  if (statusSize !== undefined && statusSize !== size) throw new Doubt('Its status list has entries of another size')
  if (purpose !== 'message') return null
  if (statusSize === undefined) throw new Doubt('Its status list is one of messages, and does not say of how many bits')
  return messagesFor(statusMessages, size)
}

/** @throws Doubt */
function listOf(body: Buffer, type: string): Secured {
  const text = body.toString('utf8').trim()
  const isToken = type.includes('jwt') || !text.startsWith('{')
  try {
    return securedOf(isToken ? text : parseStrictly(body), 'body')
  } catch (cause) {
    if (cause instanceof Problem) throw new Doubt('Its status list is no credential', { cause })
    throw cause
  }
}

/** Multibase in base64url without padding, of GZIP. @throws Doubt, also for what unfolds past the limit */
async function bitsIn({ encodedList }: Json): Promise<Buffer> {
  const packed = typeof encodedList === 'string' && encodedList.startsWith('u') ? Buffer.from(encodedList.slice(1), 'base64url') : null
  if (!packed || `u${packed.toString('base64url')}` !== encodedList) throw new Doubt('Its status list is not encoded as it has to be')
  return unpack(packed, { maxOutputLength: sizes.unpacked }).catch((cause: unknown) => {
    throw new Doubt('Its status list does not unpack, or to more than is read', { cause })
  })
}
