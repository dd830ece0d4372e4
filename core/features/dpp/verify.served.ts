import { OutboundError } from '../../kernel/parts.ts'
import { parseStrictly } from '../../kernel/json.ts'
import { Problem, problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { hostedForm, hostedLimits, hostedTypes, Reach, readContent, securedOf, type Secured } from '../certification/index.ts'
import type { Verification } from './open.types.ts'
import type { ServedFor } from './verify.anchor.ts'
import { verifyCredential } from './verify.ts'

/** What a page may ask of other hosts while somebody waits for it. */
const forPages = { most: 3, patience: 3_000, expansionMs: 2_000 }

/** Bytes of a credential that are judged in a few milliseconds, on the thread that answers everybody. */
const maxBytesHere = 16 * 1024

interface Row {
  version: string
  certificate_uri: string | null
  body: Buffer | null
  form: Secured['form']
  cid: string | null
}

/** The credential of a passport as it is served. `hosted`: by its organization. */
interface ServedCredential { form: Secured['form']; hosted: boolean; served: ServedFor; bytes: Buffer }

/** The served version of a passport's credential, and what judging it came to. */
export interface ServedVerification extends Verification { credential: Secured['credential'] }

/** Name of the task that judges a served credential in a thread of its own. */
export const servedTask = 'served_credential'

/**
 * Judges the version of a passport's credential that is served: the bytes that are stored, those that IPFS gives when
 * they are gone, or those that its organization hosts. Asks nobody for a stored credential under did:key, or under a
 * domain that was seen to publish its document; others at most three times in three seconds. What has many bytes is
 * judged in a thread of its own, in the turn of `visitor`. Null where nothing is certified.
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE, DPP_VC_IPFS_UNAVAILABLE where the bytes cannot be had
 * @throws RATE_LIMITED, OverloadedError where there is no room for it now, or it takes too long
 */
export async function verificationOf(context: Context, passport: string, visitor: string): Promise<ServedVerification | null> {
  const { rows: [row] } = await context.db.raw<{ rows: Row[] }>(
    `select c.id as version, p.certificate_uri, c.cid, coalesce(c.ld, c.jwt, nullif(c.rdfc, '')) as body,
       case when c.ld is null and c.jwt is not null then 'jwt' else 'ld' end as form
     from passports p join passport_credentials c on c.id = p.credential where p.id = ?`, [passport])
  if (!row) return null
  const { version, certificate_uri: address } = row
  const credential: ServedCredential = address === null
    ? { form: row.form, hosted: false, served: { passport, version }, bytes: await storedBytes(context, row) }
    : { ...await hostedAt(context, address), hosted: true, served: { passport, version: null } }
  if (!context.apart || credential.bytes.length <= maxBytesHere) return judgeServed(context, credential)
  return await context.apart.run(servedTask, written(credential), visitor) as ServedVerification
}

/** Bytes that are gone are read by their content identifier. @throws DPP_VC_IPFS_UNAVAILABLE */
async function storedBytes(context: Context, { body, cid }: Row): Promise<Buffer> {
  const bytes = body ?? (cid === null ? null : await readContent(context, cid, forPages.patience))
  if (bytes !== null) return bytes
  const detail = 'No stored copy of the credential is left, and IPFS does not give it at present.'
  throw problem('DPP_VC_IPFS_UNAVAILABLE', detail)
}

/** @throws DPP_VC_SELF_HOSTED_UNAVAILABLE */
async function hostedAt(context: Context, address: string): Promise<Pick<ServedCredential, 'form' | 'bytes'>> {
  try {
    const { body, type } = await context.outbound.get(address, { types: hostedTypes, ...hostedLimits, patience: forPages.patience })
    return { form: hostedForm(type) === 'application/vc+jwt' ? 'jwt' : 'ld', bytes: body }
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    throw noneHosted(cause)
  }
}

const noneHosted = (cause: Error) => problem('DPP_VC_SELF_HOSTED_UNAVAILABLE',
  'The certificate is kept by its organization, and is out of reach or none.', { cause })

async function judgeServed(context: Context, credential: ServedCredential): Promise<ServedVerification> {
  const secured = securedIn(credential)
  return { ...await verifyCredential(new Reach(context, forPages), secured, credential.served), credential: secured.credential }
}

/** @throws DPP_VC_SELF_HOSTED_UNAVAILABLE where what is hosted is no credential */
function securedIn({ form, hosted, bytes }: ServedCredential): Secured {
  if (!hosted) return securedOf(form === 'jwt' ? bytes.toString('utf8') : JSON.parse(bytes.toString('utf8')), 'body')
  try {
    return securedOf(form === 'jwt' ? bytes.toString('utf8') : parseStrictly(bytes), 'body')
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    throw noneHosted(cause)
  }
}

/** Writes a credential for another thread: one line of JSON that tells what it is, then its bytes. */
function written({ bytes, ...rest }: ServedCredential): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(rest)}\n`), bytes])
}

/** Judges a credential that was written for this thread. */
export async function judgeServedBytes(context: Context, bytes: Buffer): Promise<ServedVerification> {
  const end = bytes.indexOf('\n')
  const rest = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<ServedCredential, 'bytes'>
  return judgeServed(context, { ...rest, bytes: bytes.subarray(end + 1) })
}
