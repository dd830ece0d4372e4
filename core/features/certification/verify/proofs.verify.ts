import { decodeBase58, type JsonObject, toCanonicalJson, VerificationError } from '../formats/index.ts'
import { createContextLoader, type VerificationFetcher } from '../contexts/index.ts'
import {
  type Cryptosuite,
  cryptosuites,
  loadDataIntegrity,
  loadJcsCryptosuite,
  runWithCanonizer,
} from '../suites/index.ts'
import { formatMultikey, getAlgorithms, toJoseKey } from '../keys/index.ts'
import type { VerificationMethod } from './resolve.ts'

/** Maximum length of a document whose proof needs JSON-LD: the expansion takes far longer than hashing. */
const maxExpandedLength = 256 * 1024
/**
 * Size of a signature in bytes and, with its multibase letter, in characters of base58; decoding takes quadratic time.
 */
const signatureSize = { bytes: 64, characters: 89 }

/** Creates the error for a proof of an unsupported suite. */
export const createUnknownSuiteError = () =>
  new VerificationError('The proof is of a suite that is not known here: eddsa-jcs-2022 and eddsa-rdfc-2022 are', {
    unknown: true,
  })

export const isCryptosuite = (name: unknown): name is Cryptosuite => cryptosuites.some((suite) => suite === name)

/**
 * Verifies the signature of an embedded proof over its document. With eddsa-jcs-2022 no context is read, so the proof
 * must cover each context that the document names.
 * @param document the document without its proofs, but with the earlier proofs of a chain
 * @throws VerificationError if the signature is not valid
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, sections 3.2 and 3.3.
 */
export async function verifyEmbeddedProof(
  fetcher: VerificationFetcher,
  document: JsonObject,
  proof: JsonObject,
  method: VerificationMethod,
): Promise<void> {
  const { cryptosuite: name, proofValue } = proof
  if (!isCryptosuite(name)) throw createUnknownSuiteError()
  if (method.publicKey.type !== 'Ed25519')
    throw new VerificationError('The proof is of a suite for Ed25519, and its key is of another type')
  if (!isProofValue(proofValue)) throw new VerificationError('The proof has no signature of 64 bytes in base58btc')
  const jcs = (await loadJcsCryptosuite()).createVerifyCryptosuite()
  if (name === 'eddsa-jcs-2022') return verifyProofValue(applyCoveredContexts(document, proof), proof, method, jcs)
  if (JSON.stringify(document).length > maxExpandedLength) {
    throw new VerificationError(`With eddsa-rdfc-2022 at most ${maxExpandedLength} characters are judged`, {
      unknown: true,
    })
  }
  const { createVerifier, requiredAlgorithm } = jcs
  await runWithCanonizer(
    createContextLoader(fetcher),
    (canonize) => verifyProofValue(document, proof, method, { name, createVerifier, requiredAlgorithm, canonize }),
    fetcher.expansion,
  )
}

/**
 * Checks whether a value is a signature in base58. The library would accept base64url as well. Source: W3C Data
 * Integrity EdDSA Cryptosuites 1.0, sections 2.2.1 and 3.3.6.
 */
const isProofValue = (value: unknown) =>
  typeof value === 'string' && decodeBase58(value, signatureSize.characters)?.length === signatureSize.bytes

async function verifyProofValue(
  document: JsonObject,
  proof: JsonObject,
  method: VerificationMethod,
  cryptosuite: object,
): Promise<void> {
  const { DataIntegrityProof } = await loadDataIntegrity()
  const { verified, error } = await new DataIntegrityProof({ cryptosuite }).verifyProof({
    proof: { ...proof },
    document: { ...document },
    // The expansion loads the contexts; the library asks this function for the key only.
    documentLoader: async (url) => ({ contextUrl: null, documentUrl: url, document: createMethodDocument(method) }),
  })
  if (!verified) throw toVerificationError(error)
}

/**
 * Returns the document with the same context value as its proof, because the library compares inline contexts by
 * identity.
 * @throws VerificationError if the document names other contexts than its proof covers
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, section 3.3.2, step 4. This check is stricter: the document may
 * not name further contexts either, because our verdict could not say that they are left out.
 */
function applyCoveredContexts(document: JsonObject, proof: JsonObject): JsonObject {
  const { '@context': covered } = proof
  if (covered === undefined) return document
  const { '@context': named = null } = document
  if (toCanonicalJson(covered) !== toCanonicalJson(named))
    throw new VerificationError('The document names other contexts than its proof covers')
  return { ...document, '@context': covered }
}

const createMethodDocument = ({ id, controller, publicKey }: VerificationMethod) => ({
  '@context': 'https://w3id.org/security/multikey/v1',
  id,
  type: 'Multikey',
  controller,
  publicKeyMultibase: formatMultikey(publicKey),
})

/** Converts an error of the library. The library may have wrapped one of our own errors, which is then returned. */
function toVerificationError(error: unknown): VerificationError {
  for (let cause = error; isErrorLike(cause); cause = cause.cause ?? cause.details?.cause) {
    if (cause instanceof VerificationError) return cause
    if (cause.message === 'Invalid signature.')
      return new VerificationError('The signature does not fit: the content, the proof or the key is another one')
    if (cause.name === 'jsonld.ValidationError')
      return new VerificationError('A term of it is mapped by no context, so that the proof does not cover it')
  }
  return new VerificationError('The proof cannot be judged: its document or its signature is malformed', {
    cause: error,
  })
}

interface ErrorLike {
  name?: string
  message?: string
  cause?: unknown
  details?: { cause?: unknown }
}
const isErrorLike = (value: unknown): value is ErrorLike => typeof value === 'object' && value !== null

/** The types of token that a header can name. */
export type TokenType = 'vc+jwt' | 'vp+jwt'

/**
 * Verifies a compact JWS with a key that is known from elsewhere; a token that brings its own key is refused. The
 * header may omit the types of the token and its content, but may not contradict them.
 * @throws VerificationError
 * Source: RFC 7515, section 5.2; W3C VC-JOSE-COSE, sections 3.1.1 and 3.1.2.
 */
export async function verifyJws(
  token: string,
  header: JsonObject,
  { publicKey }: VerificationMethod,
  type: TokenType = 'vc+jwt',
): Promise<void> {
  const { alg, typ, cty, crit, jwk, jku, x5u } = header
  const algorithms = getAlgorithms(publicKey)
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw new VerificationError(`The token is signed with another algorithm than ${algorithms.at(-1)}`)
  }
  if (typ !== undefined && toMediaSubtype(typ) !== type)
    throw new VerificationError(`The token says that it is something else than ${type}`)
  if (cty !== undefined && !isContentType(cty, type)) {
    throw new VerificationError(`The token says that its content is something else than ${type.slice(0, 2)}`)
  }
  if (crit !== undefined) throw new VerificationError('The token demands extensions that are not known here')
  if (jwk !== undefined || jku !== undefined || x5u !== undefined)
    throw new VerificationError('The token brings its own key along, which shows nothing')
  const key = { ...toJoseKey(publicKey), alg }
  const { compactVerify } = await import('jose')
  try {
    await compactVerify(token, key, { algorithms: [...algorithms] })
  } catch (cause) {
    throw new VerificationError('The signature does not fit: the content or the key is another one', { cause })
  }
}

/**
 * Returns a media type of a header without `application/`, in small letters.
 * @returns null if the value is no text
 * Source: RFC 7515, section 4.1.9.
 */
const toMediaSubtype = (value: unknown) =>
  typeof value === 'string' ? value.toLowerCase().replace(/^application\/(?=[^/]*$)/, '') : null

/**
 * Checks the content type of a token. A type more precise than `vc` is allowed, but not the other kind of document, nor
 * a token or another secured form.
 */
function isContentType(cty: unknown, type: TokenType): boolean {
  const content = toMediaSubtype(cty)
  if (content === null) return false
  return content === type.slice(0, 2) || !/^(vc|vp|jwt)$|\+(sd-)?jwt$|\+cose$/.test(content)
}
