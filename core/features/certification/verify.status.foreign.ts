import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parseStrictly } from '../../kernel/json.ts'
import { Problem } from '../../kernel/problem.ts'
import { asList, Doubt, isObject, type Json } from './verify.doubt.ts'
import { securedOf, type Secured } from './verify.given.ts'
import { issuerIn, proofOf } from './verify.proof.ts'
import type { Reach } from './verify.reach.ts'
import { validityOf } from './verify.times.ts'

/** An entry of a credential that counts, read. */
export interface Entry { purpose: 'revocation' | 'suspension'; index: number; list: string }

/** Media types of a list, as hosts answer them. */
const types = ['application/vc+jwt', 'application/vc', 'application/vc+ld+json', 'application/ld+json', 'application/json', 'application/jwt']
/** Bytes of a list as it comes, and unpacked; and the fewest entries. Source: W3C Bitstring Status List 1.0, section 6.1. */
const sizes = { fetched: 4 * 1024 * 1024, unpacked: 16 * 1024 * 1024, fewest: 131_072 }

const unpack = promisify(gunzip)

/**
 * The bits of a list that somebody else keeps, in either secured form: issued by the same issuer as the credential, its
 * own proof judged. @throws Doubt. Source: W3C Bitstring Status List 1.0, section 3.2.
 */
export async function foreignBits(reach: Reach, { list, purpose }: Entry, issuer: string): Promise<Buffer> {
  const { body, type } = await reach.get('Its status list', list, types, sizes.fetched)
  const secured = listOf(body, type)
  const { credential } = secured
  if (issuerIn(credential) !== issuer) throw new Doubt('Its status list has another issuer than the credential')
  if (typeof credential['id'] === 'string' && credential['id'] !== list) throw new Doubt('Its status list says that it is another one')
  const subject = asList(credential['credentialSubject']).find(isObject)
  if (!asList(credential['type']).includes('BitstringStatusListCredential') || subject?.['type'] !== 'BitstringStatusList') {
    throw new Doubt('Its status list is no Bitstring Status List')
  }
  if (!asList(subject['statusPurpose']).includes(purpose)) throw new Doubt('Its status list is for another purpose')
  validityOf(credential, reach.context.clock.now())
  const { issuer: issued, key, proof } = await proofOf(reach, secured)
  for (const { ok, detail } of [issued, key, proof]) if (!ok) throw new Doubt(`Its status list does not hold: ${detail}`)
  return bitsIn(subject)
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
  if (typeof encodedList !== 'string' || !/^u[\w-]+$/.test(encodedList)) throw new Doubt('Its status list is not encoded as it has to be')
  const bits = await unpack(Buffer.from(encodedList.slice(1), 'base64url'), { maxOutputLength: sizes.unpacked }).catch((cause: unknown) => {
    throw new Doubt('Its status list does not unpack, or to more than is read', { cause })
  })
  if (bits.length * 8 < sizes.fewest) throw new Doubt(`Its status list has fewer than ${sizes.fewest} entries`)
  return bits
}
