import { resolveMethod, type Method } from './resolve.ts'
import type { OwnKey } from './resolve.own.ts'
import { isSuite, verifyEmbedded, verifyToken } from './proofs.verify.ts'
import { asList, Doubt, IssuerDoubt, isObject, judged, type Json, type Judged } from './verify.doubt.ts'
import type { Secured } from './verify.given.ts'
import type { Reach } from './verify.reach.ts'
import { refuseOutside } from './verify.times.ts'

/** Proofs of one credential. */
const mostProofs = 4

export interface ProofOutcome {
  proof: Judged<'proof'>
  issuer: Judged<'issuer'>
  key: Judged<'key'>
  /** Whose key signed it, where all that did are of one organization here; undefined where no key is known. */
  organization: string | null | undefined
}

/** One signature: the key that it names, and how it is judged once that is known. */
interface Claim { method: string; judge(method: Method): Promise<void> }
type Resolution = Claim & ({ key: Method; doubt: null } | { key: null; doubt: Doubt })

/** Who issued a credential, as it says. Null where it does not say. */
export function issuerIn({ issuer }: Json): string | null {
  const id = isObject(issuer) ? issuer['id'] : issuer
  return typeof id === 'string' && id !== '' ? id : null
}

/**
 * Judges what secures a credential: its signatures, all of which have to hold, whether its issuer is whose keys made
 * them, and whether those keys may. @param anchoredAt since when its content stands on a chain, if it does: what a key
 * of ours signed before it was compromised stays valid
 */
export async function proofOf(reach: Reach, secured: Secured, anchoredAt: Date | null = null): Promise<ProofOutcome> {
  const { credential } = secured
  const found = await claimed(reach, secured)
  if (found instanceof Doubt) {
    return {
      proof: { check: 'proof', ok: false, detail: found.message }, organization: undefined,
      issuer: { check: 'issuer', ok: false, detail: 'No proof shows who issued it' },
      key: { check: 'key', ok: false, detail: 'No key is known to have signed it' },
    }
  }
  const organizations = new Set(found.map(({ key }) => key ? key.own?.organization ?? null : undefined))
  return {
    issuer: await judged('issuer', () => issuerOf(secured, credential, found)),
    key: await judged('key', () => keysOf(found, anchoredAt)),
    proof: await judged('proof', () => signaturesOf(found)),
    organization: organizations.size === 1 ? [...organizations][0] : null,
  }
}

async function claimed(reach: Reach, secured: Secured): Promise<Resolution[] | Doubt> {
  try {
    const claims = secured.form === 'jwt' ? [tokenClaim(secured)] : embeddedClaims(reach, secured.credential)
    const found: Resolution[] = []
    for (const claim of claims) found.push(await resolved(reach, claim))
    return found
  } catch (cause) {
    if (cause instanceof Doubt) return cause
    throw cause
  }
}

async function resolved(reach: Reach, claim: Claim): Promise<Resolution> {
  try {
    return { ...claim, key: await resolveMethod(reach, claim.method), doubt: null }
  } catch (doubt) {
    if (doubt instanceof Doubt) return { ...claim, key: null, doubt }
    throw doubt
  }
}

/** @throws Doubt for what secures nothing. Source: W3C Data Integrity 1.0, sections 2.1 and 4.4. */
function embeddedClaims(reach: Reach, credential: Json): Claim[] {
  const { proof, ...document } = credential
  const proofs = asList(proof)
  if (proofs.length === 0) throw new Doubt('It carries no proof')
  if (proofs.length > mostProofs) throw new Doubt(`It carries more than ${mostProofs} proofs`)
  return proofs.map((one) => {
    if (!isObject(one)) throw new Doubt('It carries a proof that is none')
    const method = methodOf(one)
    return {
      method,
      judge: async (key) => {
        refuseOutside(reach.context.clock.now(), { from: ['created of the proof', one['created']], until: ['expires of the proof', one['expires']] })
        await verifyEmbedded(reach, document, one, key)
      },
    }
  })
}

/** @throws Doubt */
function methodOf({ type, cryptosuite, proofPurpose, verificationMethod, previousProof }: Json): string {
  if (type !== 'DataIntegrityProof' || !isSuite(cryptosuite)) {
    throw new Doubt('The proof is of a suite that is not known here: eddsa-jcs-2022 and eddsa-rdfc-2022 are')
  }
  if (proofPurpose !== 'assertionMethod') throw new Doubt('The proof is for another purpose than assertionMethod')
  if (previousProof !== undefined) throw new Doubt('The proof is one of a chain, which is not known here')
  if (typeof verificationMethod !== 'string') throw new Doubt('The proof does not name its key')
  return verificationMethod
}

/** The key that a token names; a did:key is its own name. @throws Doubt. Source: W3C VC-JOSE-COSE, section 4.1. */
function tokenClaim({ credential, header, token }: Secured & { form: 'jwt' }): Claim {
  const { kid } = header
  const issuer = issuerIn(credential) ?? ''
  const judge = (key: Method) => verifyToken(token, header, key)
  if (kid === undefined && issuer.startsWith('did:key:')) return { method: `${issuer}#${issuer.slice('did:key:'.length)}`, judge }
  if (typeof kid !== 'string') throw new Doubt('The token does not name its key')
  return { method: kid.startsWith('#') ? `${issuer}${kid}` : kid, judge }
}

/** @throws Doubt unless all keys are the issuer's own */
function issuerOf(secured: Secured, credential: Json, found: readonly Resolution[]): string {
  const issuer = issuerIn(credential)
  if (issuer === null) throw new Doubt('It names no issuer')
  const named = secured.form === 'jwt' ? [credential['iss'], secured.header['iss']] : []
  if (named.some((one) => one !== undefined && one !== issuer)) throw new Doubt('Its token names another issuer than the credential')
  for (const { method, doubt } of found) {
    if (method.slice(0, method.indexOf('#')) !== issuer) throw new Doubt(`It is signed with a key of another than its issuer ${issuer}`)
    if (doubt instanceof IssuerDoubt) throw doubt
  }
  const own = found.some(({ key }) => key?.own)
  return `It is issued by ${issuer}${own ? ', an organization of this installation' : ''}`
}

function keysOf(found: readonly Resolution[], anchoredAt: Date | null): string {
  const told = found.map(({ key, doubt }) => {
    if (doubt instanceof IssuerDoubt) throw new Doubt('Its key is not known, as its issuer is not')
    if (doubt) throw doubt
    return key.own ? ownState(key.own, anchoredAt) : 'The issuer offers its key for assertions'
  })
  return told[0] ?? ''
}

/** @throws Doubt. Source: decision "Keys": rotated keys still verify, revoked ones for what was anchored before. */
function ownState({ status, compromisedAt }: OwnKey, anchoredAt: Date | null): string {
  if (status === 'active') return 'Its key is the active one of its issuer'
  if (status === 'rotated') return 'Its key is an earlier one of its issuer, which still verifies'
  if (status === 'pending') throw new Doubt('Its key is not active yet')
  if (compromisedAt === null) throw new Doubt('Its key is revoked')
  if (anchoredAt !== null && anchoredAt < compromisedAt) {
    return `Its key is revoked since ${compromisedAt.toISOString()}; the credential was anchored before, at ${anchoredAt.toISOString()}`
  }
  throw new Doubt(`Its key is revoked since ${compromisedAt.toISOString()}, and nothing shows that the credential is older`)
}

async function signaturesOf(found: readonly Resolution[]): Promise<string> {
  for (const { key, judge } of found) {
    if (!key) throw new Doubt('The proof cannot be judged without its key')
    await judge(key)
  }
  return found.length === 1 ? 'The signature fits the content' : `All ${found.length} signatures fit the content`
}
