import { canonical } from './canonical.ts'
import { base58Bytes } from './multikey.ts'
import { contextLoader } from './contexts.loader.ts'
import { expandApart } from './proofs.expand.ts'
import { cryptosuites, loadJcs, loadProofs, type Cryptosuite } from './proofs.libraries.ts'
import { algorithmsOf, joseKeyOf, multikeyOfKey } from './public-keys/public-key.ts'
import type { Method } from './resolve.ts'
import { Doubt, type Json } from './verify.doubt.ts'
import type { Reach } from './verify.reach.ts'

/** Characters of a document whose proof needs JSON-LD: expanding takes far longer than hashing. */
const mostExpanded = 256 * 1024
/** Bytes of a signature, and characters of it in base58 with its letter; decoding takes the square of their number. */
const signature = { bytes: 64, characters: 89 }

/** Of a proof that is made in a way that is not known here. */
export const unknownSuite = () =>
  new Doubt('The proof is of a suite that is not known here: eddsa-jcs-2022 and eddsa-rdfc-2022 are', { unknown: true })

export const isSuite = (name: unknown): name is Cryptosuite => cryptosuites.some((suite) => suite === name)

/**
 * Judges the signature of an embedded proof over its document. With eddsa-jcs-2022 no context is looked at, so that the
 * proof has to cover each that the document names. @param document without its proofs but, in a chain, those before it
 * @throws Doubt where it does not hold
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, sections 3.2 and 3.3.
 */
export async function verifyEmbedded(reach: Reach, document: Json, proof: Json, method: Method): Promise<void> {
  const { cryptosuite: name, proofValue } = proof
  if (!isSuite(name)) throw unknownSuite()
  if (method.publicKey.type !== 'Ed25519') throw new Doubt('The proof is of a suite for Ed25519, and its key is of another type')
  if (!isSignature(proofValue)) throw new Doubt('The proof has no signature of 64 bytes in base58btc')
  const jcs = (await loadJcs()).createVerifyCryptosuite()
  if (name === 'eddsa-jcs-2022') return signatureOf(inContexts(document, proof), proof, method, jcs)
  if (JSON.stringify(document).length > mostExpanded) {
    throw new Doubt(`With eddsa-rdfc-2022 at most ${mostExpanded} characters are judged`, { unknown: true })
  }
  const { createVerifier, requiredAlgorithm } = jcs
  await expandApart(contextLoader(reach), (canonize) =>
    signatureOf(document, proof, method, { name, createVerifier, requiredAlgorithm, canonize }), reach.expansion)
}

/** Source: W3C Data Integrity EdDSA Cryptosuites 1.0, sections 2.2.1 and 3.3.6. The library takes base64url as well. */
const isSignature = (value: unknown) =>
  typeof value === 'string' && base58Bytes(value, signature.characters)?.length === signature.bytes

async function signatureOf(document: Json, proof: Json, method: Method, cryptosuite: object): Promise<void> {
  const { DataIntegrityProof } = await loadProofs()
  const { verified, error } = await new DataIntegrityProof({ cryptosuite }).verifyProof({
    proof: { ...proof }, document: { ...document },
    // Contexts are loaded where documents are expanded; this asks for the key alone.
    documentLoader: async (url) => ({ contextUrl: null, documentUrl: url, document: documentOf(method) }),
  })
  if (!verified) throw doubtOf(error)
}

/**
 * The document in the contexts that its proof covers, as the same value: the library compares those written in place by
 * identity. @throws Doubt for others. Source: W3C Data Integrity EdDSA Cryptosuites 1.0, section 3.3.2, step 4; stricter,
 * as a document may name no more of them: nothing is answered but a verdict, which would not say that they are left out
 */
function inContexts(document: Json, proof: Json): Json {
  const { '@context': covered } = proof
  if (covered === undefined) return document
  const { '@context': named = null } = document
  if (canonical(covered) !== canonical(named)) throw new Doubt('The document names other contexts than its proof covers')
  return { ...document, '@context': covered }
}

const documentOf = ({ id, controller, publicKey }: Method) =>
  ({ '@context': 'https://w3id.org/security/multikey/v1', id, type: 'Multikey', controller, publicKeyMultibase: multikeyOfKey(publicKey) })

/** What the library did not like. A doubt of our own comes wrapped in its errors. */
function doubtOf(error: unknown): Doubt {
  for (let cause = error; isErrorLike(cause); cause = cause.cause ?? cause.details?.cause) {
    if (cause instanceof Doubt) return cause
    if (cause.message === 'Invalid signature.') return new Doubt('The signature does not fit: the content, the proof or the key is another one')
    if (cause.name === 'jsonld.ValidationError') return new Doubt('A term of it is mapped by no context, so that the proof does not cover it')
  }
  return new Doubt('The proof cannot be judged: its document or its signature is malformed', { cause: error })
}

interface ErrorLike { name?: string; message?: string; cause?: unknown; details?: { cause?: unknown } }
const isErrorLike = (value: unknown): value is ErrorLike => typeof value === 'object' && value !== null

/** What a token says that it secures. */
export type TokenType = 'vc+jwt' | 'vp+jwt'

/**
 * Judges a compact JWS with a key that is known from elsewhere; one that it brings along counts for nothing. Its header
 * may leave out what it is, but says nothing else. @throws Doubt
 * Source: RFC 7515, section 5.2; W3C VC-JOSE-COSE, sections 3.1.1 and 3.1.2.
 */
export async function verifyToken(token: string, header: Json, { publicKey }: Method, type: TokenType = 'vc+jwt'): Promise<void> {
  const { alg, typ, cty, crit, jwk, jku, x5u } = header
  const algorithms = algorithmsOf(publicKey)
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw new Doubt(`The token is signed with another algorithm than ${algorithms.at(-1)}`)
  }
  if (typ !== undefined && mediaOf(typ) !== type) throw new Doubt(`The token says that it is something else than ${type}`)
  if (cty !== undefined && !isContent(cty, type)) {
    throw new Doubt(`The token says that its content is something else than ${type.slice(0, 2)}`)
  }
  if (crit !== undefined) throw new Doubt('The token demands extensions that are not known here')
  if (jwk !== undefined || jku !== undefined || x5u !== undefined) throw new Doubt('The token brings its own key along, which shows nothing')
  const key = { ...joseKeyOf(publicKey), alg }
  const { compactVerify } = await import('jose')
  try {
    await compactVerify(token, key, { algorithms: [...algorithms] })
  } catch (cause) {
    throw new Doubt('The signature does not fit: the content or the key is another one', { cause })
  }
}

/** A media type as headers name it, `application/` left out or not. @returns null for none. Source: RFC 7515, section 4.1.9. */
const mediaOf = (value: unknown) =>
  typeof value === 'string' ? value.toLowerCase().replace(/^application\/(?=[^/]*$)/, '') : null

/** More precise types than `vc` may be named, but none that says: a presentation, a token in a token, a secured form. */
function isContent(cty: unknown, type: TokenType): boolean {
  const content = mediaOf(cty)
  if (content === null) return false
  return content === type.slice(0, 2) || !/^(vc|vp|jwt)$|\+(sd-)?jwt$|\+cose$/.test(content)
}
