import { findHazards } from '../../core/kernel/json/hazards.ts'
import { parseStrictJson } from '../../core/kernel/json/json.ts'
import { createValidationProblem } from '../../core/kernel/problem.ts'
import { parseJws } from '../../core/features/certification/suites/index.ts'
import {
  assertValidEnvelope,
  assertValidPresentation,
  joinPath,
} from '../../core/features/certification/model/index.ts'
import {
  assertWithinPeriod,
  checkValidity,
  parseProofs,
  resolveVerificationMethod,
  verifyEmbeddedProof,
  verifyJws,
} from '../../core/features/certification/verify/index.ts'
import {
  type CheckResult,
  isObject,
  type JsonObject,
  runCheck,
  toList,
  VerificationError,
} from '../../core/features/certification/formats/index.ts'
import type { VerificationFetcher } from '../../core/features/certification/index.ts'

/** A presentation with its form: with embedded proofs or none, or in a token. */
export type SecuredPresentation =
  | { form: 'ld'; presentation: JsonObject }
  | { form: 'jwt'; presentation: JsonObject; token: string; header: JsonObject }

/** The values that a verifier requested from the holder. */
export interface PresentationRequest {
  challenge: string | undefined
  domain: string | undefined
}

export type PresentationCheck = 'proof' | 'holder' | 'challenge' | 'domain' | 'validity'

const envelopePrefix = 'data:application/vp+jwt,'
const proofPurposes = ['authentication', 'assertionMethod'] as const

/**
 * Parses a presentation: an object, a compact JWS, or an object that envelops one. It must be well-formed by the Data
 * Model 2.0, together with the credentials in it.
 * @throws VALIDATION_FAILED
 * Source: W3C Verifiable Credentials Data Model 2.0, section 4.13; VC-JOSE-COSE, section 3.1.2.
 */
export function parseSecuredPresentation(input: unknown, path: string): SecuredPresentation {
  if (typeof input === 'string') return parsePresentationToken(input.trim(), path)
  if (!isObject(input))
    throw createInvalidPresentationProblem(path, 'must be a presentation: an object, or a compact JWS')
  if (!toList(input['type']).includes('EnvelopedVerifiablePresentation'))
    return { form: 'ld', presentation: parsePresentation(input, path) }
  assertValidEnvelope(input, 'EnvelopedVerifiablePresentation', path)
  const id = String(input['id'])
  if (!id.startsWith(envelopePrefix))
    throw createInvalidPresentationProblem(
      joinPath(path, 'id'),
      `must begin with ${envelopePrefix}: what is enveloped otherwise is not read here`,
    )
  return parsePresentationToken(id.slice(envelopePrefix.length), joinPath(path, 'id'))
}

function parsePresentationToken(token: string, path: string): SecuredPresentation {
  const opened = parseJws(token)
  if (!opened)
    throw createInvalidPresentationProblem(path, 'must be a compact JWS: three parts in base64url joined by dots')
  const { header, payload } = opened
  const presentation = parsePresentation(parseStrictJson(payload), path)
  for (const [at, one] of toList(presentation['verifiableCredential']).entries()) {
    if (isObject(one) && toList(one['type']).includes('EnvelopedVerifiableCredential')) continue
    throw createInvalidPresentationProblem(
      `${joinPath(path, 'verifiableCredential')}[${at}]`,
      'must be enveloped, as the presentation is',
    )
  }
  return { form: 'jwt', presentation, token, header }
}

function parsePresentation(value: unknown, path: string): JsonObject {
  if (!isObject(value))
    throw createInvalidPresentationProblem(path, 'must be a presentation: an object that names no member twice')
  const [hazard] = findHazards(value, null).hazards
  if (hazard) throw createInvalidPresentationProblem(path, `cannot be judged, as its ${hazard.path} ${hazard.message}`)
  assertValidPresentation(value, path)
  return value
}

const createInvalidPresentationProblem = (path: string, message: string) =>
  createValidationProblem([{ path, code: 'not_a_presentation', message }])

/** One signature of a presentation, with its signer and with the request that it answers. */
interface PresentationSignature {
  signer: string
  challenge: unknown
  isForDomain(domain: string): boolean
  verify(): Promise<void>
}

/**
 * Verifies a presentation: its signatures, whether its holder made them, whether they answer the request, and its
 * times. A presentation without a signature does not show who presents it: it counts as much as its credentials, and
 * answers no challenge.
 * @returns the checks, and the DIDs of the signers
 * Source: W3C Data Integrity 1.0, section 4.5; VC-JOSE-COSE, sections 3.1.2 and 4.1.
 */
export async function verifySecuredPresentation(
  fetcher: VerificationFetcher,
  secured: SecuredPresentation,
  request: PresentationRequest,
): Promise<{ checks: CheckResult<PresentationCheck>[]; signers: string[] }> {
  const { presentation } = secured
  let signatures: PresentationSignature[] = []
  const proof = await runCheck('proof', async () => {
    signatures =
      secured.form === 'jwt' ? [getTokenSignature(fetcher, secured)] : getEmbeddedSignatures(fetcher, presentation)
    for (const { verify } of signatures) await verify()
    return signatures.length === 0
      ? 'It is not signed: nothing shows who presents it'
      : 'The signature fits the content'
  })
  const checks = [
    proof,
    await runCheck('holder', () => checkHolder(presentation, signatures)),
    await runCheck('challenge', () =>
      checkAnswer('challenge', request.challenge, signatures, (one, text) => one.challenge === text),
    ),
    await runCheck('domain', () =>
      checkAnswer('domain', request.domain, signatures, (one, text) => one.isForDomain(text)),
    ),
    await runCheck('validity', () => checkValidity(presentation, fetcher.context.clock.now())),
  ]
  return { checks, signers: signatures.map(({ signer }) => signer) }
}

function getEmbeddedSignatures(fetcher: VerificationFetcher, presentation: JsonObject): PresentationSignature[] {
  const { proof: all, ...document } = presentation
  if (all === undefined) return []
  return parseProofs(all, proofPurposes).map(({ proof, method, earlier }) => ({
    signer: getDidOfMethod(method),
    challenge: proof['challenge'],
    // The domain must be the only one; it is not enough that it is among others. Source: W3C Data Integrity 1.0,
    // section 4.4.
    isForDomain: (domain) => toList(proof['domain']).length === 1 && toList(proof['domain'])[0] === domain,
    verify: async () => {
      const { created, expires, proofPurpose } = proof
      assertWithinPeriod(fetcher.context.clock.now(), {
        from: ['created of the proof', created],
        until: ['expires of the proof', expires],
      })
      const key = await resolveVerificationMethod(
        fetcher,
        method,
        proofPurpose === 'authentication' ? 'authentication' : 'assertionMethod',
      )
      await verifyEmbeddedProof(fetcher, earlier.length > 0 ? { ...document, proof: earlier } : document, proof, key)
    },
  }))
}

/** Returns the signature of a token. @throws VerificationError if the token does not name its key */
function getTokenSignature(
  fetcher: VerificationFetcher,
  { presentation, header, token }: SecuredPresentation & { form: 'jwt' },
): PresentationSignature {
  const { kid } = header
  const { iss } = presentation
  const method = typeof kid === 'string' && kid.startsWith('#') && typeof iss === 'string' ? `${iss}${kid}` : kid
  if (typeof method !== 'string') throw new VerificationError('The token does not name its key')
  if (['vc', 'vp'].some((name) => Object.hasOwn(presentation, name)))
    throw new VerificationError('The token has a claim vc or vp, where its payload is the presentation itself')
  return {
    signer: getDidOfMethod(method),
    challenge: presentation['nonce'],
    // The domain may be one of several audiences. Source: RFC 7519, section 4.1.3.
    isForDomain: (domain) => toList(presentation['aud']).includes(domain),
    verify: async () =>
      verifyJws(token, header, await resolveVerificationMethod(fetcher, method, 'authentication'), 'vp+jwt'),
  }
}

const getDidOfMethod = (method: string) => method.slice(0, method.indexOf('#'))
const getPartyId = (party: unknown) => (isObject(party) ? party['id'] : party)

/** Checks that the holder signed the presentation. @throws VerificationError if another signed it */
function checkHolder({ holder: party, iss }: JsonObject, signatures: readonly PresentationSignature[]): string {
  const holder = getPartyId(party)
  const named = [holder, iss].filter((one) => one !== undefined)
  if (named.length === 0) return 'It names no holder'
  if (signatures.length === 0) return 'It names a holder, who did not sign it'
  const otherSigner = named.find((one) => !signatures.some(({ signer }) => signer === one))
  if (otherSigner !== undefined)
    throw new VerificationError(`It is signed by another than its holder ${String(otherSigner)}`)
  return `It is presented by ${String(named[0])}`
}

/**
 * Checks the answer to a requested value.
 * @throws VerificationError if the presentation is not signed, or if a signature answers another value
 */
function checkAnswer(
  name: 'challenge' | 'domain',
  expected: string | undefined,
  signatures: readonly PresentationSignature[],
  isAnswer: (one: PresentationSignature, value: string) => boolean,
): string {
  if (expected === undefined) return `No ${name} was asked for`
  if (signatures.length === 0) throw new VerificationError(`It is not signed, so that it answers no ${name}`)
  if (!signatures.every((one) => isAnswer(one, expected)))
    throw new VerificationError(`It is signed for another ${name} than was asked for, or for none`)
  return `It answers the ${name} that was asked for`
}
