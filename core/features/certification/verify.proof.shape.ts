import { isUrl } from './model.values.ts'
import { isSuite, unknownSuite } from './proofs.verify.ts'
import { asList, Doubt, isObject, type Json } from './verify.doubt.ts'

/** Proofs of one credential. */
const mostProofs = 4

/** A proof of a document, with those before it in a chain, which it covers. */
export interface Link { proof: Json; method: string; earlier: Json[] }

/**
 * The proofs of a document: one, a set, or a chain, in which each names those that it was made after. @param purposes
 * that they may be for. @throws Doubt for what secures nothing, or is no proof
 * Source: W3C Data Integrity 1.0, sections 2.1 and 4.5.
 */
export function linksOf(proof: unknown, purposes: readonly string[] = ['assertionMethod']): Link[] {
  const proofs = asList(proof)
  if (proofs.length === 0) throw new Doubt('It carries no proof')
  if (proofs.length > mostProofs) throw new Doubt(`It carries more than ${mostProofs} proofs`)
  const all = proofs.map((one) => {
    if (!isObject(one)) throw new Doubt('It carries a proof that is none')
    return one
  })
  const named = all.map(({ id }) => id).filter((id) => id !== undefined)
  if (!named.every(isUrl)) throw new Doubt('A proof of it has an id that is no URL')
  if (new Set(named).size < named.length) throw new Doubt('Two proofs of it have one id')
  return all.map((one) => ({ proof: one, method: methodOf(one, purposes), earlier: earlierThan(one, all) }))
}

/** The proofs that one names as made before it, in the order of the document. @throws Doubt */
function earlierThan(proof: Json, all: readonly Json[]): Json[] {
  const { previousProof } = proof
  if (previousProof === undefined) return []
  const names = asList(previousProof)
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw new Doubt('A proof of it names the one before it by what is no text')
  }
  const earlier = all.filter((one) => one !== proof && names.some((name) => name === one['id']))
  if (new Set(names).size > earlier.length) throw new Doubt('A proof of it is made after another one that is not there')
  return earlier
}

/** The key that a proof names. @throws Doubt */
function methodOf(proof: Json, purposes: readonly string[]): string {
  const { type, cryptosuite, proofPurpose, verificationMethod, domain, challenge, nonce } = proof
  if (typeof type !== 'string' || (type === 'DataIntegrityProof' && typeof cryptosuite !== 'string')) {
    throw new Doubt('The proof is of a suite that is not known here: it does not name one')
  }
  if (type !== 'DataIntegrityProof' || !isSuite(cryptosuite)) throw unknownSuite()
  if (typeof proofPurpose !== 'string' || !purposes.includes(proofPurpose)) {
    throw new Doubt(`The proof is for another purpose than ${purposes.join(' or ')}`)
  }
  if (!isUrl(verificationMethod)) throw new Doubt('The proof does not name its key')
  if (!asList(domain).every(isText)) throw new Doubt('The proof has a domain that is no text')
  if (![challenge, nonce].every((one) => one === undefined || isText(one))) {
    throw new Doubt('The proof has a challenge, or a nonce, that is no text')
  }
  return verificationMethod
}

const isText = (value: unknown) => typeof value === 'string'
