import { resolveVerificationMethod, type VerificationMethod } from './resolve.ts'
import type { OwnKey } from './resolve.own.ts'
import { verifyEmbeddedProof, verifyJws } from './proofs.verify.ts'
import {
  type CheckResult,
  getWorstError,
  isObject,
  IssuerVerificationError,
  type JsonObject,
  parseDateTimeStamp,
  runCheck,
  toList,
  VerificationError,
} from '../formats/index.ts'
import type { SecuredCredential } from './verify.input.ts'
import { parseProofs } from './verify.proof.shape.ts'
import type { VerificationFetcher } from '../contexts/index.ts'
import { assertWithinPeriod } from './verify.times.ts'

export interface ProofOutcome {
  proof: CheckResult<'proof'>
  issuer: CheckResult<'issuer'>
  key: CheckResult<'key'>
  /**
   * The organization of the key with which the issuer signed; null if it is none of this installation, undefined if no
   * key is known.
   */
  organization: string | null | undefined
}

/** One signature, with the key that it names and the function that verifies it with the resolved key. */
interface CredentialSignature {
  method: string
  verify(method: VerificationMethod): Promise<void>
}
type ResolvedSignature = CredentialSignature
  & ({ key: VerificationMethod; error: null } | { key: null; error: VerificationError })

/** The times of a credential: when it was anchored on a chain, and when it claims to have been issued. */
interface CredentialTimes {
  anchoredAt: Date | null
  issuedAt: Date | null
}

/** Maximum difference between the clocks of two machines, in milliseconds. */
const maxSkewMs = 5 * 60 * 1000

/** Returns the latest time at which a credential claims to have been issued: its own date or that of a proof. */
function getIssuedAt({ validFrom, issuanceDate, proof }: JsonObject): Date | null {
  const created = toList(proof)
    .filter(isObject)
    .map((one) => one['created'])
  const times = [validFrom, issuanceDate, ...created].flatMap((value) => parseDateTimeStamp(value) ?? [])
  return times.length === 0 ? null : new Date(Math.max(...times))
}

/** Returns the issuer that a credential names, or null if it names none. */
export function getIssuerId({ issuer }: JsonObject): string | null {
  const id = isObject(issuer) ? issuer['id'] : issuer
  return typeof id === 'string' && id !== '' ? id : null
}

/**
 * Verifies what secures a credential: that all its signatures are valid, that its issuer made one of them (others, such
 * as notaries, may have signed it as well), and that the keys may sign.
 * @param anchoredAt when its content was anchored on a chain, or null; a credential that was anchored before our key
 * was compromised stays valid
 */
export async function verifyProofs(
  fetcher: VerificationFetcher,
  secured: SecuredCredential,
  anchoredAt: Date | null = null,
): Promise<ProofOutcome> {
  const { credential } = secured
  const signatures = await resolveSignatures(fetcher, secured)
  if (signatures instanceof VerificationError) {
    const ok = signatures.unknown ? null : false
    return {
      proof: { check: 'proof', ok, detail: signatures.message },
      organization: undefined,
      issuer: { check: 'issuer', ok, detail: 'No proof shows who issued it' },
      key: { check: 'key', ok, detail: 'No key is known to have signed it' },
    }
  }
  const issuerSignatures = getIssuerSignatures(credential, signatures)
  const organizations = new Set(
    (issuerSignatures.length > 0 ? issuerSignatures : signatures).map(({ key }) =>
      key ? (key.own?.organization ?? null) : undefined,
    ),
  )
  return {
    issuer: await runCheck('issuer', () => checkIssuer(secured, credential, signatures)),
    key: await runCheck('key', () =>
      checkKeys(issuerSignatures, signatures, { anchoredAt, issuedAt: getIssuedAt(credential) }),
    ),
    proof: await runCheck('proof', () => checkSignatures(signatures)),
    organization: organizations.size === 1 ? [...organizations][0] : null,
  }
}

async function resolveSignatures(
  fetcher: VerificationFetcher,
  secured: SecuredCredential,
): Promise<ResolvedSignature[] | VerificationError> {
  try {
    const signatures =
      secured.form === 'jwt' ? [getTokenSignature(secured)] : getEmbeddedSignatures(fetcher, secured.credential)
    const resolvedSignatures: ResolvedSignature[] = []
    for (const claim of signatures) resolvedSignatures.push(await resolveSignature(fetcher, claim))
    return resolvedSignatures
  } catch (cause) {
    if (cause instanceof VerificationError) return cause
    throw cause
  }
}

async function resolveSignature(
  fetcher: VerificationFetcher,
  signature: CredentialSignature,
): Promise<ResolvedSignature> {
  try {
    return { ...signature, key: await resolveVerificationMethod(fetcher, signature.method), error: null }
  } catch (cause) {
    if (cause instanceof VerificationError) return { ...signature, key: null, error: cause }
    throw cause
  }
}

/**
 * Returns the signatures of the embedded proofs.
 * @throws VerificationError if a proof is missing or malformed
 * Source: W3C Data Integrity 1.0, section 4.5.
 */
function getEmbeddedSignatures(fetcher: VerificationFetcher, credential: JsonObject): CredentialSignature[] {
  const { proof: all, ...document } = credential
  return parseProofs(all).map(({ proof, method, earlier }) => ({
    method,
    verify: async (key) => {
      const { created, expires } = proof
      assertWithinPeriod(fetcher.context.clock.now(), {
        from: ['created of the proof', created],
        until: ['expires of the proof', expires],
      })
      await verifyEmbeddedProof(fetcher, earlier.length > 0 ? { ...document, proof: earlier } : document, proof, key)
    },
  }))
}

/**
 * Returns the signature of a token with the key that it names. A token with an `iss` may name the key relative to the
 * issuer, or not at all if the issuer is a did:key; any other token must name the key in full.
 * @throws VerificationError
 * Source: W3C VC-JOSE-COSE, sections 4.1 and 4.3.
 */
function getTokenSignature({ credential, header, token }: SecuredCredential & { form: 'jwt' }): CredentialSignature {
  const { kid } = header
  const issuer = getIssuerId(credential) ?? ''
  const isNamed = credential['iss'] !== undefined || header['iss'] !== undefined
  const verify = async (key: VerificationMethod) => {
    assertNotWrapped(credential)
    await verifyJws(token, header, key)
  }
  if (kid === undefined && isNamed && issuer.startsWith('did:key:'))
    return { method: `${issuer}#${issuer.slice('did:key:'.length)}`, verify }
  if (typeof kid !== 'string') throw new VerificationError('The token does not name its key')
  if (kid.startsWith('#') && !isNamed)
    throw new VerificationError('The token names its key by half, and does not say by itself who issued it')
  return { method: kid.startsWith('#') ? `${issuer}${kid}` : kid, verify }
}

/**
 * Checks that the payload is the credential itself.
 * @throws VerificationError if a claim contains it
 * Source: W3C VC-JOSE-COSE, section 1.1.2.1.
 */
function assertNotWrapped(payload: JsonObject): void {
  for (const name of ['vc', 'vp']) {
    if (Object.hasOwn(payload, name))
      throw new VerificationError(`The token has a claim ${name}, where its payload is the credential itself`)
  }
}

const getDidOfMethod = (method: string) => method.split('#', 1)[0] ?? ''

/** Returns the signatures that the issuer made. */
const getIssuerSignatures = (credential: JsonObject, signatures: readonly ResolvedSignature[]) =>
  signatures.filter(({ method }) => getDidOfMethod(method) === getIssuerId(credential))

/** Checks that a key of the issuer signed the credential. @throws VerificationError */
function checkIssuer(
  secured: SecuredCredential,
  credential: JsonObject,
  signatures: readonly ResolvedSignature[],
): string {
  const issuer = getIssuerId(credential)
  if (issuer === null) throw new VerificationError('It names no issuer')
  const named = secured.form === 'jwt' ? [credential['iss'], secured.header['iss']] : []
  if (named.some((one) => one !== undefined && one !== issuer))
    throw new VerificationError('Its token names another issuer than the credential')
  const issuerSignatures = getIssuerSignatures(credential, signatures)
  if (issuerSignatures.length === 0)
    throw new VerificationError(`It is signed with a key of another than its issuer ${issuer}`)
  const error = getWorstError(
    issuerSignatures.flatMap((one) => (one.error instanceof IssuerVerificationError ? [one.error] : [])),
  )
  if (error) throw error
  const others = new Set(signatures.map(({ method }) => getDidOfMethod(method)).filter((one) => one !== issuer))
  const ours = issuerSignatures.some(({ key }) => key?.own) ? ', an organization of this installation' : ''
  return `It is issued by ${issuer}${ours}${others.size > 0 ? `; signed as well by ${[...others].join(', ')}` : ''}`
}

function checkKeys(
  issuerSignatures: readonly ResolvedSignature[],
  signatures: readonly ResolvedSignature[],
  times: CredentialTimes,
): string {
  const errors: VerificationError[] = []
  const details: string[] = []
  for (const one of [...issuerSignatures, ...signatures]) {
    const { key, error } = one
    if (error)
      errors.push(
        error instanceof IssuerVerificationError && issuerSignatures.includes(one)
          ? createUnknownIssuerError(error)
          : error,
      )
    else if (key.own) collectKeyState(key.own, times, { details, errors })
    else details.push('The issuer offers its key for assertions')
  }
  const worst = getWorstError(errors)
  if (worst) throw worst
  return details[0] ?? ''
}

const createUnknownIssuerError = ({ unknown }: VerificationError) =>
  new VerificationError('Its key is not known, as its issuer is not', { unknown })

function collectKeyState(
  own: OwnKey,
  times: CredentialTimes,
  { details, errors }: { details: string[]; errors: VerificationError[] },
): void {
  try {
    details.push(checkKeyState(own, times))
  } catch (cause) {
    if (!(cause instanceof VerificationError)) throw cause
    errors.push(cause)
  }
}

/**
 * Checks whether the state of a key allows a signature.
 * @throws VerificationError
 * Source: decision "Keys": a rotated key still verifies; a revoked key only verifies what was anchored before.
 */
function checkKeyState(
  { status, rotatedAt, compromisedAt }: OwnKey,
  { anchoredAt, issuedAt }: CredentialTimes,
): string {
  if (status === 'active') return 'Its key is the active one of its issuer'
  if (status === 'rotated') {
    // The earlier time counts: a network that was unreachable anchors a credential later than it was signed.
    const since =
      [anchoredAt, issuedAt].filter((one) => one !== null).sort((one, other) => one.getTime() - other.getTime())[0]
      ?? null
    if (rotatedAt !== null && since !== null && since.getTime() > rotatedAt.getTime() + maxSkewMs) {
      throw new VerificationError(
        `Its key was rotated at ${rotatedAt.toISOString()}, and it was ${anchoredAt ? 'anchored' : 'issued'} after, at ${since.toISOString()}`,
      )
    }
    return 'Its key is an earlier one of its issuer, which still verifies'
  }
  if (status === 'pending') throw new VerificationError('Its key is not active yet')
  if (compromisedAt === null) throw new VerificationError('Its key is revoked')
  if (anchoredAt !== null && anchoredAt < compromisedAt) {
    return `Its key is revoked since ${compromisedAt.toISOString()}; the credential was anchored before, at ${anchoredAt.toISOString()}`
  }
  throw new VerificationError(
    `Its key is revoked since ${compromisedAt.toISOString()}, and nothing shows that the credential is older`,
  )
}

async function checkSignatures(signatures: readonly ResolvedSignature[]): Promise<string> {
  const errors: VerificationError[] = []
  for (const one of signatures) {
    try {
      if (!one.key)
        throw new VerificationError('The proof cannot be judged without its key', { unknown: one.error.unknown })
      await one.verify(one.key)
    } catch (cause) {
      if (!(cause instanceof VerificationError)) throw cause
      errors.push(cause)
      if (!cause.unknown) break
    }
  }
  const worst = getWorstError(errors)
  if (worst) throw worst
  return signatures.length === 1
    ? 'The signature fits the content'
    : `All ${signatures.length} signatures fit the content`
}
