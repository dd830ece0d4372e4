import { resolveMethod, type Method } from './resolve.ts'
import type { OwnKey } from './resolve.own.ts'
import { verifyEmbedded, verifyToken } from './proofs.verify.ts'
import { momentOf } from './model.times.ts'
import { asList, Doubt, IssuerDoubt, isObject, judged, worstDoubt, type Json, type Judged } from './verify.doubt.ts'
import type { Secured } from './verify.given.ts'
import { linksOf } from './verify.proof.shape.ts'
import type { Reach } from './verify.reach.ts'
import { refuseOutside } from './verify.times.ts'

export interface ProofOutcome {
  proof: Judged<'proof'>
  issuer: Judged<'issuer'>
  key: Judged<'key'>
  /** Whose key its issuer signed it with, where that is an organization here; undefined where no key is known. */
  organization: string | null | undefined
}

/** One signature: the key that it names, and how it is judged once that is known. */
interface Claim { method: string; judge(method: Method): Promise<void> }
type Resolution = Claim & ({ key: Method; doubt: null } | { key: null; doubt: Doubt })

/** Since when a credential stands on a chain, and when it was issued as it says. */
interface Times { anchoredAt: Date | null; issuedAt: Date | null }

/** Milliseconds by which the clocks of two machines may differ. */
const maxSkewMs = 5 * 60 * 1000

/** The latest that a credential says of when it was issued: its own date, or that of a proof. */
function issuedIn({ validFrom, issuanceDate, proof }: Json): Date | null {
  const created = asList(proof).filter(isObject).map((one) => one['created'])
  const times = [validFrom, issuanceDate, ...created].flatMap((value) => momentOf(value) ?? [])
  return times.length === 0 ? null : new Date(Math.max(...times))
}

/** Who issued a credential, as it says. Null where it does not say. */
export function issuerIn({ issuer }: Json): string | null {
  const id = isObject(issuer) ? issuer['id'] : issuer
  return typeof id === 'string' && id !== '' ? id : null
}

/**
 * Judges what secures a credential: its signatures, all of which have to hold, whether its issuer made one of them
 * (others may have signed it as well, as notaries do), and whether the keys may. @param anchoredAt since when its
 * content stands on a chain, if it does: what a key of ours signed before it was compromised stays valid
 */
export async function proofOf(reach: Reach, secured: Secured, anchoredAt: Date | null = null): Promise<ProofOutcome> {
  const { credential } = secured
  const found = await claimed(reach, secured)
  if (found instanceof Doubt) {
    const ok = found.unknown ? null : false
    return {
      proof: { check: 'proof', ok, detail: found.message }, organization: undefined,
      issuer: { check: 'issuer', ok, detail: 'No proof shows who issued it' },
      key: { check: 'key', ok, detail: 'No key is known to have signed it' },
    }
  }
  const own = ownOf(credential, found)
  const organizations = new Set((own.length > 0 ? own : found)
    .map(({ key }) => key ? key.own?.organization ?? null : undefined))
  return {
    issuer: await judged('issuer', () => issuerOf(secured, credential, found)),
    key: await judged('key', () => keysOf(own, found, { anchoredAt, issuedAt: issuedIn(credential) })),
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

/** @throws Doubt for what secures nothing. Source: W3C Data Integrity 1.0, section 4.5. */
function embeddedClaims(reach: Reach, credential: Json): Claim[] {
  const { proof: all, ...document } = credential
  return linksOf(all).map(({ proof, method, earlier }) => ({
    method,
    judge: async (key) => {
      const { created, expires } = proof
      refuseOutside(reach.context.clock.now(), { from: ['created of the proof', created], until: ['expires of the proof', expires] })
      await verifyEmbedded(reach, earlier.length > 0 ? { ...document, proof: earlier } : document, proof, key)
    },
  }))
}

/**
 * The key that a token names. One that says who issued it may name the key below that, or not at all where a did:key is
 * its own name; else the name has to be whole. @throws Doubt. Source: W3C VC-JOSE-COSE, sections 4.1 and 4.3.
 */
function tokenClaim({ credential, header, token }: Secured & { form: 'jwt' }): Claim {
  const { kid } = header
  const issuer = issuerIn(credential) ?? ''
  const isNamed = credential['iss'] !== undefined || header['iss'] !== undefined
  const judge = async (key: Method) => {
    refuseWrapped(credential)
    await verifyToken(token, header, key)
  }
  if (kid === undefined && isNamed && issuer.startsWith('did:key:')) return { method: `${issuer}#${issuer.slice('did:key:'.length)}`, judge }
  if (typeof kid !== 'string') throw new Doubt('The token does not name its key')
  if (kid.startsWith('#') && !isNamed) throw new Doubt('The token names its key by half, and does not say by itself who issued it')
  return { method: kid.startsWith('#') ? `${issuer}${kid}` : kid, judge }
}

/** @throws Doubt for a payload with a credential in a claim. Source: W3C VC-JOSE-COSE, section 1.1.2.1. */
function refuseWrapped(payload: Json): void {
  for (const name of ['vc', 'vp']) {
    if (Object.hasOwn(payload, name)) throw new Doubt(`The token has a claim ${name}, where its payload is the credential itself`)
  }
}

const subjectOf = (method: string) => method.split('#', 1)[0] ?? ''

/** The signatures that the issuer made. */
const ownOf = (credential: Json, found: readonly Resolution[]) =>
  found.filter(({ method }) => subjectOf(method) === issuerIn(credential))

/** @throws Doubt unless a key of the issuer signed it */
function issuerOf(secured: Secured, credential: Json, found: readonly Resolution[]): string {
  const issuer = issuerIn(credential)
  if (issuer === null) throw new Doubt('It names no issuer')
  const named = secured.form === 'jwt' ? [credential['iss'], secured.header['iss']] : []
  if (named.some((one) => one !== undefined && one !== issuer)) throw new Doubt('Its token names another issuer than the credential')
  const own = ownOf(credential, found)
  if (own.length === 0) throw new Doubt(`It is signed with a key of another than its issuer ${issuer}`)
  const doubt = worstDoubt(own.flatMap((one) => one.doubt instanceof IssuerDoubt ? [one.doubt] : []))
  if (doubt) throw doubt
  const others = new Set(found.map(({ method }) => subjectOf(method)).filter((one) => one !== issuer))
  const ours = own.some(({ key }) => key?.own) ? ', an organization of this installation' : ''
  return `It is issued by ${issuer}${ours}${others.size > 0 ? `; signed as well by ${[...others].join(', ')}` : ''}`
}

function keysOf(own: readonly Resolution[], found: readonly Resolution[], times: Times): string {
  const doubts: Doubt[] = []
  const told: string[] = []
  for (const one of [...own, ...found]) {
    const { key, doubt } = one
    if (doubt) doubts.push(doubt instanceof IssuerDoubt && own.includes(one) ? issuerUnknown(doubt) : doubt)
    else if (key.own) tellState(key.own, times, { told, doubts })
    else told.push('The issuer offers its key for assertions')
  }
  const doubt = worstDoubt(doubts)
  if (doubt) throw doubt
  return told[0] ?? ''
}

const issuerUnknown = ({ unknown }: Doubt) => new Doubt('Its key is not known, as its issuer is not', { unknown })

function tellState(own: OwnKey, times: Times, { told, doubts }: { told: string[]; doubts: Doubt[] }): void {
  try {
    told.push(ownState(own, times))
  } catch (cause) {
    if (!(cause instanceof Doubt)) throw cause
    doubts.push(cause)
  }
}

/** @throws Doubt. Source: decision "Keys": rotated keys still verify, revoked ones for what was anchored before. */
function ownState({ status, rotatedAt, compromisedAt }: OwnKey, { anchoredAt, issuedAt }: Times): string {
  if (status === 'active') return 'Its key is the active one of its issuer'
  if (status === 'rotated') {
    // Either is enough: a network that was away anchors later what was signed before.
    const since = [anchoredAt, issuedAt].filter((one) => one !== null).sort((one, other) => one.getTime() - other.getTime())[0] ?? null
    if (rotatedAt !== null && since !== null && since.getTime() > rotatedAt.getTime() + maxSkewMs) {
      throw new Doubt(`Its key was rotated at ${rotatedAt.toISOString()}, and it was ${anchoredAt ? 'anchored' : 'issued'} after, at ${since.toISOString()}`)
    }
    return 'Its key is an earlier one of its issuer, which still verifies'
  }
  if (status === 'pending') throw new Doubt('Its key is not active yet')
  if (compromisedAt === null) throw new Doubt('Its key is revoked')
  if (anchoredAt !== null && anchoredAt < compromisedAt) {
    return `Its key is revoked since ${compromisedAt.toISOString()}; the credential was anchored before, at ${anchoredAt.toISOString()}`
  }
  throw new Doubt(`Its key is revoked since ${compromisedAt.toISOString()}, and nothing shows that the credential is older`)
}

async function signaturesOf(found: readonly Resolution[]): Promise<string> {
  const doubts: Doubt[] = []
  for (const one of found) {
    try {
      if (!one.key) throw new Doubt('The proof cannot be judged without its key', { unknown: one.doubt.unknown })
      await one.judge(one.key)
    } catch (cause) {
      if (!(cause instanceof Doubt)) throw cause
      doubts.push(cause)
      if (!cause.unknown) break
    }
  }
  const doubt = worstDoubt(doubts)
  if (doubt) throw doubt
  return found.length === 1 ? 'The signature fits the content' : `All ${found.length} signatures fit the content`
}
