import { multikeyOf } from './multikey.ts'
import { contextLoader } from './contexts.loader.ts'
import { expandApart } from './proofs.expand.ts'
import { loadJcs, loadProofs } from './proofs.libraries.ts'
import type { Method } from './resolve.ts'
import { Doubt, type Json } from './verify.doubt.ts'
import type { Reach } from './verify.reach.ts'

/** Characters of a document whose proof needs JSON-LD: expanding takes far longer than hashing. */
const mostExpanded = 256 * 1024
/** Characters of a signature in base58; decoding takes the square of their number. */
const mostSignature = 128

const suites = ['eddsa-jcs-2022', 'eddsa-rdfc-2022'] as const

export const isSuite = (name: unknown): name is (typeof suites)[number] => suites.some((suite) => suite === name)

/**
 * Judges the signature of an embedded proof over its document. With eddsa-jcs-2022 no context is looked at, so that the
 * proof has to cover each that the document names. @param document without its proofs. @throws Doubt where it does not hold
 * Source: W3C Data Integrity EdDSA Cryptosuites 1.0, sections 3.2 and 3.3.
 */
export async function verifyEmbedded(reach: Reach, document: Json, proof: Json, method: Method): Promise<void> {
  const { cryptosuite: name, proofValue } = proof
  if (!isSuite(name)) throw new Doubt('The proof is of a suite that is not known here: eddsa-jcs-2022 and eddsa-rdfc-2022 are')
  if (typeof proofValue !== 'string' || proofValue.length > mostSignature) throw new Doubt('The proof has no signature')
  if (name === 'eddsa-jcs-2022') refuseLooseContexts(document, proof)
  else if (JSON.stringify(document).length > mostExpanded) throw new Doubt(`With eddsa-rdfc-2022 at most ${mostExpanded} characters are judged`)
  if (name === 'eddsa-jcs-2022') return signatureOf(document, proof, method, (await loadJcs()).createVerifyCryptosuite())
  const { createVerifier, requiredAlgorithm } = (await loadJcs()).createVerifyCryptosuite()
  await expandApart(contextLoader(reach), (canonize) =>
    signatureOf(document, proof, method, { name, createVerifier, requiredAlgorithm, canonize }))
}

async function signatureOf(document: Json, proof: Json, method: Method, cryptosuite: object): Promise<void> {
  const { DataIntegrityProof } = await loadProofs()
  const { verified, error } = await new DataIntegrityProof({ cryptosuite }).verifyProof({
    proof: { ...proof }, document: { ...document },
    // Contexts are loaded where documents are expanded; this asks for the key alone.
    documentLoader: async (url) => ({ contextUrl: null, documentUrl: url, document: documentOf(method) }),
  })
  if (!verified) throw doubtOf(error)
}

/** Source: W3C Data Integrity EdDSA Cryptosuites 1.0, section 3.3.2, step 4; stricter, as nothing is answered but a verdict. */
function refuseLooseContexts(document: Json, proof: Json): void {
  if (proof['@context'] === undefined) return
  if (JSON.stringify(proof['@context']) !== JSON.stringify(document['@context'])) {
    throw new Doubt('The document names other contexts than its proof covers')
  }
}

const documentOf = ({ id, controller, publicKey }: Method) =>
  ({ '@context': 'https://w3id.org/security/multikey/v1', id, type: 'Multikey', controller, publicKeyMultibase: multikeyOf(publicKey) })

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

/**
 * Judges a compact JWS with a key that is known from elsewhere; one that it brings along counts for nothing.
 * @throws Doubt. Source: RFC 7515, section 5.2; W3C VC-JOSE-COSE, section 3.1.1.
 */
export async function verifyToken(token: string, header: Json, { publicKey }: Method): Promise<void> {
  const { alg, typ, crit, jwk, jku, x5u } = header
  if (alg !== 'EdDSA' && alg !== 'Ed25519') throw new Doubt('The token is signed with another algorithm than Ed25519')
  if (typeof typ !== 'string' || !/^(application\/)?vc\+jwt$/i.test(typ)) throw new Doubt('The token does not say that it is vc+jwt')
  if (crit !== undefined) throw new Doubt('The token demands extensions that are not known here')
  if (jwk !== undefined || jku !== undefined || x5u !== undefined) throw new Doubt('The token brings its own key along, which shows nothing')
  const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url'), alg }
  const { compactVerify } = await import('jose')
  try {
    await compactVerify(token, key, { algorithms: ['EdDSA', 'Ed25519'] })
  } catch (cause) {
    throw new Doubt('The signature does not fit: the content or the key is another one', { cause })
  }
}
