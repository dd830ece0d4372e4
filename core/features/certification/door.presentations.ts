import { findHazards } from '../../kernel/hazards.ts'
import { parseStrictly } from '../../kernel/json.ts'
import { invalid } from '../../kernel/problem.ts'
import { openToken } from './jose.ts'
import { below } from './model.faults.ts'
import { refuseMalformedEnvelope, refuseMalformedPresentation } from './model.ts'
import { verifyEmbedded, verifyToken } from './proofs.verify.ts'
import { resolveMethod } from './resolve.ts'
import { asList, Doubt, isObject, judged, type Json, type Judged } from './verify.doubt.ts'
import { linksOf } from './verify.proof.shape.ts'
import type { Reach } from './verify.reach.ts'
import { refuseOutside, validityOf } from './verify.times.ts'

/** A presentation with what secures it: proofs of its own, the token around it, or nothing. */
export type Presented =
  | { form: 'ld'; presentation: Json }
  | { form: 'jwt'; presentation: Json; token: string; header: Json }

/** What a verifier asked the holder for. */
export interface Asked { challenge: string | undefined; domain: string | undefined }

export type PresentationCheck = 'proof' | 'holder' | 'challenge' | 'domain' | 'validity'

const enveloped = 'data:application/vp+jwt,'
const purposes = ['authentication', 'assertionMethod'] as const

/**
 * A presentation as it was given: an object, a compact JWS, or an object that envelops one, well-formed by the Data
 * Model 2.0 together with the credentials in it. @throws VALIDATION_FAILED
 * Source: W3C Verifiable Credentials Data Model 2.0, section 4.13; VC-JOSE-COSE, section 3.1.2.
 */
export function presentedOf(given: unknown, path: string): Presented {
  if (typeof given === 'string') return ofToken(given.trim(), path)
  if (!isObject(given)) throw refused(path, 'must be a presentation: an object, or a compact JWS')
  if (!asList(given['type']).includes('EnvelopedVerifiablePresentation')) return { form: 'ld', presentation: presentationIn(given, path) }
  refuseMalformedEnvelope(given, 'EnvelopedVerifiablePresentation', path)
  const id = String(given['id'])
  if (!id.startsWith(enveloped)) throw refused(below(path, 'id'), `must begin with ${enveloped}: what is enveloped otherwise is not read here`)
  return ofToken(id.slice(enveloped.length), below(path, 'id'))
}

function ofToken(token: string, path: string): Presented {
  const opened = openToken(token)
  if (!opened) throw refused(path, 'must be a compact JWS: three parts in base64url joined by dots')
  const { header, payload } = opened
  const presentation = presentationIn(parseStrictly(payload), path)
  for (const [at, one] of asList(presentation['verifiableCredential']).entries()) {
    if (isObject(one) && asList(one['type']).includes('EnvelopedVerifiableCredential')) continue
    throw refused(`${below(path, 'verifiableCredential')}[${at}]`, 'must be enveloped, as the presentation is')
  }
  return { form: 'jwt', presentation, token, header }
}

function presentationIn(value: unknown, path: string): Json {
  if (!isObject(value)) throw refused(path, 'must be a presentation: an object that names no member twice')
  const [hazard] = findHazards(value, null).hazards
  if (hazard) throw refused(path, `cannot be judged, as its ${hazard.path} ${hazard.message}`)
  refuseMalformedPresentation(value, path)
  return value
}

const refused = (path: string, message: string) => invalid([{ path, code: 'not_a_presentation', message }])

/** One signature of a presentation: whose it is, and what it answers. */
interface Signature { signer: string; challenge: unknown; isFor(domain: string): boolean; judge(): Promise<void> }

/**
 * Judges what secures a presentation: its signatures, whether its holder made them, whether they answer what was asked,
 * and its times. One without a signature says nothing of who presents it: it is as good as the credentials in it, and
 * answers no challenge. @returns also who signed it, each as a DID. Source: W3C Data Integrity 1.0, section 4.5; VC-JOSE-COSE, sections 3.1.2 and 4.1.
 */
export async function judgePresented(
  reach: Reach, presented: Presented, asked: Asked,
): Promise<{ checks: Judged<PresentationCheck>[]; signers: string[] }> {
  const { presentation } = presented
  let signatures: Signature[] = []
  const proof = await judged('proof', async () => {
    signatures = presented.form === 'jwt' ? [tokenSignature(reach, presented)] : embeddedSignatures(reach, presentation)
    for (const { judge } of signatures) await judge()
    return signatures.length === 0 ? 'It is not signed: nothing shows who presents it' : 'The signature fits the content'
  })
  const checks = [
    proof,
    await judged('holder', () => holderOf(presentation, signatures)),
    await judged('challenge', () => answered('challenge', asked.challenge, signatures, (one, text) => one.challenge === text)),
    await judged('domain', () => answered('domain', asked.domain, signatures, (one, text) => one.isFor(text))),
    await judged('validity', () => validityOf(presentation, reach.context.clock.now())),
  ]
  return { checks, signers: signatures.map(({ signer }) => signer) }
}

function embeddedSignatures(reach: Reach, presentation: Json): Signature[] {
  const { proof: all, ...document } = presentation
  if (all === undefined) return []
  return linksOf(all, purposes).map(({ proof, method, earlier }) => ({
    signer: subjectOf(method), challenge: proof['challenge'],
    // The same set, not one that has it. Source: W3C Data Integrity 1.0, section 4.4.
    isFor: (domain) => asList(proof['domain']).length === 1 && asList(proof['domain'])[0] === domain,
    judge: async () => {
      const { created, expires, proofPurpose } = proof
      refuseOutside(reach.context.clock.now(), { from: ['created of the proof', created], until: ['expires of the proof', expires] })
      const key = await resolveMethod(reach, method, proofPurpose === 'authentication' ? 'authentication' : 'assertionMethod')
      await verifyEmbedded(reach, earlier.length > 0 ? { ...document, proof: earlier } : document, proof, key)
    },
  }))
}

/** @throws Doubt where it does not name its key */
function tokenSignature(reach: Reach, { presentation, header, token }: Presented & { form: 'jwt' }): Signature {
  const { kid } = header
  const { iss } = presentation
  const method = typeof kid === 'string' && kid.startsWith('#') && typeof iss === 'string' ? `${iss}${kid}` : kid
  if (typeof method !== 'string') throw new Doubt('The token does not name its key')
  if (['vc', 'vp'].some((name) => Object.hasOwn(presentation, name))) throw new Doubt('The token has a claim vc or vp, where its payload is the presentation itself')
  return {
    signer: subjectOf(method), challenge: presentation['nonce'],
    // One of the audiences is enough. Source: RFC 7519, section 4.1.3.
    isFor: (domain) => asList(presentation['aud']).includes(domain),
    judge: async () => verifyToken(token, header, await resolveMethod(reach, method, 'authentication'), 'vp+jwt'),
  }
}

const subjectOf = (method: string) => method.slice(0, method.indexOf('#'))
const idOf = (party: unknown) => (isObject(party) ? party['id'] : party)

/** @throws Doubt for a holder that did not sign it */
function holderOf({ holder: party, iss }: Json, signatures: readonly Signature[]): string {
  const holder = idOf(party)
  const named = [holder, iss].filter((one) => one !== undefined)
  if (named.length === 0) return 'It names no holder'
  if (signatures.length === 0) return 'It names a holder, who did not sign it'
  const stranger = named.find((one) => !signatures.some(({ signer }) => signer === one))
  if (stranger !== undefined) throw new Doubt(`It is signed by another than its holder ${String(stranger)}`)
  return `It is presented by ${String(named[0])}`
}

/** @throws Doubt where something was asked and a signature answers something else, or there is none */
function answered(
  name: 'challenge' | 'domain', asked: string | undefined, signatures: readonly Signature[],
  isAnswer: (one: Signature, asked: string) => boolean,
): string {
  if (asked === undefined) return `No ${name} was asked for`
  if (signatures.length === 0) throw new Doubt(`It is not signed, so that it answers no ${name}`)
  if (!signatures.every((one) => isAnswer(one, asked))) throw new Doubt(`It is signed for another ${name} than was asked for, or for none`)
  return `It answers the ${name} that was asked for`
}
