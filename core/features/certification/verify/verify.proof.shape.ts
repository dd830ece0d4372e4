import { isObject, isUrl, type JsonObject, toList, VerificationError } from '../formats/index.ts'
import { isCryptosuite, createUnknownSuiteError } from './proofs.verify.ts'

/** Maximum number of proofs of one credential. */
const maxProofs = 4

/** A proof of a document, with the earlier proofs of its chain, which it covers. */
export interface ChainedProof {
  proof: JsonObject
  method: string
  earlier: JsonObject[]
}

/**
 * Parses the proofs of a document: one proof, a set, or a chain, in which each proof names the earlier ones.
 * @param purposes the allowed purposes
 * @throws VerificationError if there is no proof, or a malformed one
 * Source: W3C Data Integrity 1.0, sections 2.1 and 4.5.
 */
export function parseProofs(proof: unknown, purposes: readonly string[] = ['assertionMethod']): ChainedProof[] {
  const proofs = toList(proof)
  if (proofs.length === 0) throw new VerificationError('It carries no proof')
  if (proofs.length > maxProofs) throw new VerificationError(`It carries more than ${maxProofs} proofs`)
  const all = proofs.map((one) => {
    if (!isObject(one)) throw new VerificationError('It carries a proof that is none')
    return one
  })
  const ids = all.map(({ id }) => id).filter((id) => id !== undefined)
  if (!ids.every(isUrl)) throw new VerificationError('A proof of it has an id that is no URL')
  if (new Set(ids).size < ids.length) throw new VerificationError('Two proofs of it have one id')
  return all.map((one) => ({
    proof: one,
    method: getVerificationMethodId(one, purposes),
    earlier: getPreviousProofs(one, all),
  }))
}

/** Returns the earlier proofs that a proof names, in the order of the document. @throws VerificationError */
function getPreviousProofs(proof: JsonObject, all: readonly JsonObject[]): JsonObject[] {
  const { previousProof } = proof
  if (previousProof === undefined) return []
  const names = toList(previousProof)
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) {
    throw new VerificationError('A proof of it names the one before it by what is no text')
  }
  const earlier = all.filter((one) => one !== proof && names.some((name) => name === one['id']))
  if (new Set(names).size > earlier.length)
    throw new VerificationError('A proof of it is made after another one that is not there')
  return earlier
}

/** Returns the key that a proof names. @throws VerificationError */
function getVerificationMethodId(proof: JsonObject, purposes: readonly string[]): string {
  const { type, cryptosuite, proofPurpose, verificationMethod, domain, challenge, nonce } = proof
  if (typeof type !== 'string' || (type === 'DataIntegrityProof' && typeof cryptosuite !== 'string')) {
    throw new VerificationError('The proof is of a suite that is not known here: it does not name one')
  }
  if (type !== 'DataIntegrityProof' || !isCryptosuite(cryptosuite)) throw createUnknownSuiteError()
  if (typeof proofPurpose !== 'string' || !purposes.includes(proofPurpose)) {
    throw new VerificationError(`The proof is for another purpose than ${purposes.join(' or ')}`)
  }
  if (!isUrl(verificationMethod)) throw new VerificationError('The proof does not name its key')
  if (!toList(domain).every(isText)) throw new VerificationError('The proof has a domain that is no text')
  if (![challenge, nonce].every((one) => one === undefined || isText(one))) {
    throw new VerificationError('The proof has a challenge, or a nonce, that is no text')
  }
  return verificationMethod
}

const isText = (value: unknown) => typeof value === 'string'
