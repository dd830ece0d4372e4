import { Doubt, judged, type Judged, type SecuredCheck } from './verify.doubt.ts'
import type { Secured } from './verify.given.ts'
import { issuerIn, proofOf } from './verify.proof.ts'
import type { Reach } from './verify.reach.ts'
import { relatedOf } from './verify.related.ts'
import { statusOf, type Place } from './verify.status.ts'
import { validityOf } from './verify.times.ts'

/** What is known here of a credential that goes by the name of one of ours. */
export interface Known {
  /** Whose it has to be, as its identifier is an address of this organization's passport. */
  organization: string | null
  /** Since when it stands on a chain as it was given. */
  anchoredAt: Date | null
  /** Where its status stands. */
  place: Place | null
}

export const unknown: Known = { organization: null, anchoredAt: null, place: null }

/**
 * Judges all that a secured credential says of itself: proof, issuer, key, status and validity, in this order. Related
 * resources are of the proof: it covers them by their digests, so that one that is another breaks it. No outcome is
 * thrown; what is, is a fault of this installation.
 */
export async function verifySecured(reach: Reach, secured: Secured, known: Known): Promise<Judged<SecuredCheck>[]> {
  const { credential } = secured
  const { proof, issuer, key, organization } = await proofOf(reach, secured, known.anchoredAt)
  const status = await judged('status', () =>
    statusOf(reach, credential, { form: secured.form, issuer: issuerIn(credential) ?? '', organization, place: known.place }))
  // Last, so that what others are asked for it leaves the status its share.
  const whole = proof.ok === true ? await judged('proof', async () => proof.detail + (await relatedOf(reach, credential))) : proof
  return [
    whole, issuer.ok === true ? await judged('issuer', () => ownerOf(issuer.detail, organization, known)) : issuer, key, status,
    await judged('validity', () => validityOf(credential, reach.context.clock.now())),
  ]
}

/** Nobody but an organization itself issues credentials at the addresses of its passports. @throws Doubt */
function ownerOf(detail: string, organization: string | null | undefined, known: Known): string {
  if (known.organization !== null && known.organization !== organization) {
    throw new Doubt('It goes by the address of a passport whose organization did not issue it')
  }
  return detail
}
