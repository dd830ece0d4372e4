import type { Context } from '../../kernel/work.ts'
import { OutboundError } from '../../kernel/parts.ts'
import { Problem, problem } from '../../kernel/problem.ts'
import { parseStrictly } from '../../kernel/json.ts'
import {
  combineOutcomes, hostedForm, hostedLimits, hostedTypes, judged, Reach, readContent, securedOf, verdictOf, verifySecured,
  type Secured,
} from '../certification/index.ts'
import type { Check, Verification } from './open.types.ts'
import { anchorOf, type ServedFor } from './verify.anchor.ts'
import { schemaOf } from './verify.schema.ts'

/** What a page may ask of other hosts while somebody waits for it. */
const forPages = { most: 3, patience: 3_000 }

/**
 * Judges a secured credential: proof, issuer, key, status, validity, anchor and schema, in this order. It is verified
 * where all hold but the schema, which is told only; unknown where none fails and one cannot be judged. @param served whose it is, where that is known
 */
export async function verifyCredential(reach: Reach, secured: Secured, served?: ServedFor): Promise<Verification> {
  const { known, look, newer } = await anchorOf(reach.context, secured, served)
  const checks: Check[] = [
    ...(await verifySecured(reach, secured, known)),
    await judged('anchor', look),
    await judged('schema', () => schemaOf(secured.credential)),
  ]
  const verified = combineOutcomes(checks.filter(({ check }) => check !== 'schema').map(({ ok }) => ok))
  return { verified, verdict: verdictOf(verified), superseded: newer !== null, newer, checks }
}

interface Row {
  version: string
  certificate_uri: string | null
  body: Buffer | null
  form: Secured['form']
  cid: string | null
}

/** The served version of a passport's credential, and what judging it came to. */
export interface ServedVerification extends Verification { credential: Secured['credential'] }

/**
 * Judges the version of a passport's credential that is served: the bytes that are stored, those that IPFS gives when
 * they are gone, or those that its organization hosts. Asks nobody for a stored credential under did:key, or under a
 * domain that was seen to publish its document; others at most three times in three seconds. Null where nothing is
 * certified.
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE, DPP_VC_IPFS_UNAVAILABLE where the bytes cannot be had
 */
export async function verificationOf(context: Context, passport: string): Promise<ServedVerification | null> {
  const { rows: [row] } = await context.db.raw<{ rows: Row[] }>(
    `select c.id as version, p.certificate_uri, c.cid, coalesce(c.ld, c.jwt, nullif(c.rdfc, '')) as body,
       case when c.ld is null and c.jwt is not null then 'jwt' else 'ld' end as form
     from passports p join passport_credentials c on c.id = p.credential where p.id = ?`, [passport])
  if (!row) return null
  const { version, certificate_uri: address } = row
  const secured = address === null ? await storedOf(context, row) : await hostedAt(context, address)
  const served = { passport, version: address === null ? version : null }
  return { ...await verifyCredential(new Reach(context, forPages), secured, served), credential: secured.credential }
}

/** Bytes that are gone are read by their content identifier. @throws DPP_VC_IPFS_UNAVAILABLE */
async function storedOf(context: Context, { body, cid, form }: Row): Promise<Secured> {
  const bytes = body ?? (cid === null ? null : await readContent(context, cid, forPages.patience))
  if (bytes === null) {
    const detail = 'No stored copy of the credential is left, and IPFS does not give it at present.'
    throw problem('DPP_VC_IPFS_UNAVAILABLE', detail)
  }
  const text = bytes.toString('utf8')
  return securedOf(form === 'jwt' ? text : JSON.parse(text), 'body')
}

/** @throws DPP_VC_SELF_HOSTED_UNAVAILABLE */
async function hostedAt(context: Context, address: string): Promise<Secured> {
  try {
    const { body, type } = await context.outbound.get(address, { types: hostedTypes, ...hostedLimits, patience: forPages.patience })
    const given = hostedForm(type) === 'application/vc+jwt' ? body.toString('utf8') : parseStrictly(body)
    return securedOf(given, 'body')
  } catch (cause) {
    if (!(cause instanceof OutboundError) && !(cause instanceof Problem)) throw cause
    throw problem('DPP_VC_SELF_HOSTED_UNAVAILABLE', 'The certificate is kept by its organization, and is out of reach or none.', { cause })
  }
}
