import { OutboundError } from '../../../kernel/ports/outbound.ts'
import { parseStrictJson } from '../../../kernel/json/json.ts'
import { ProblemError, createProblem } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import {
  getHostedForm,
  hostedFetchLimits,
  hostedMediaTypes,
  VerificationFetcher,
  findContent,
  parseSecuredCredential,
  type SecuredCredential,
} from '../../certification/index.ts'
import type { Verification } from '../readiness/index.ts'
import type { ServedFor } from './verify.anchor.ts'
import { verifyCredential } from './verify.ts'

/** The limits of requests to other hosts while a visitor waits for a page. */
const pageLimits = { maxRequests: 3, timeoutMs: 3_000, expansionMs: 2_000 }

/** The maximum size of a credential that is verified on the main thread, where it takes a few milliseconds. */
const maxBytesHere = 16 * 1024

interface ServedRow {
  version: string
  certificate_uri: string | null
  body: Buffer | null
  form: SecuredCredential['form']
  cid: string | null
}

/** The credential of a passport as it is served. `hosted`: its organization hosts it. */
interface ServedCredential {
  form: SecuredCredential['form']
  hosted: boolean
  served: ServedFor
  bytes: Buffer
}

/** The result of verifying the served version of a passport's credential, with the credential. */
export interface ServedVerification extends Verification {
  credential: SecuredCredential['credential']
}

/** The name of the task that verifies a served credential in a worker thread. */
export const servedTask = 'served_credential'

/**
 * Verifies the served version of a passport's credential: the stored bytes, the bytes from IPFS if the stored ones are
 * missing, or the bytes that its organization hosts. For a stored credential under did:key, or under a domain that has
 * been seen to publish its document, it sends no request. In other cases it sends at most three requests within three
 * seconds. A large credential is verified in a worker thread, in the turn of `visitor`.
 * @returns null if nothing is certified
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE if the hosted bytes cannot be read
 * @throws DPP_VC_IPFS_UNAVAILABLE if the stored bytes are missing and IPFS does not have them
 * @throws RATE_LIMITED, OverloadedError if there is no capacity now, or the verification takes too long
 */
export async function verifyServedVersion(
  context: Context,
  passport: string,
  visitor: string,
): Promise<ServedVerification | null> {
  const {
    rows: [row],
  } = await context.db.raw<{ rows: ServedRow[] }>(
    `select c.id as version, p.certificate_uri, c.cid, coalesce(c.ld, c.jwt, nullif(c.rdfc, '')) as body,
       case when c.ld is null and c.jwt is not null then 'jwt' else 'ld' end as form
     from passports p join passport_credentials c on c.id = p.credential where p.id = ?`,
    [passport],
  )
  if (!row) return null
  const { version, certificate_uri: address } = row
  const credential: ServedCredential =
    address === null
      ? { form: row.form, hosted: false, served: { passport, version }, bytes: await readStoredBytes(context, row) }
      : { ...(await fetchHosted(context, address)), hosted: true, served: { passport, version: null } }
  if (!context.workerThreads || credential.bytes.length <= maxBytesHere)
    return verifyServedCredential(context, credential)
  return (await context.workerThreads.runTask(servedTask, formatForThread(credential), visitor)) as ServedVerification
}

/**
 * Reads the stored bytes; if they are missing, it reads them by their content identifier.
 * @throws DPP_VC_IPFS_UNAVAILABLE
 */
async function readStoredBytes(context: Context, { body, cid }: ServedRow): Promise<Buffer> {
  const bytes = body ?? (cid === null ? null : await findContent(context, cid, pageLimits.timeoutMs))
  if (bytes !== null) return bytes
  const detail = 'No stored copy of the credential is left, and IPFS does not give it at present.'
  throw createProblem('DPP_VC_IPFS_UNAVAILABLE', detail)
}

/**
 * Fetches a certificate from the organization that hosts it.
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE
 */
async function fetchHosted(context: Context, address: string): Promise<Pick<ServedCredential, 'form' | 'bytes'>> {
  try {
    const { body, type } = await context.outbound.get(address, {
      mediaTypes: hostedMediaTypes,
      ...hostedFetchLimits,
      timeoutMs: pageLimits.timeoutMs,
    })
    return { form: getHostedForm(type) === 'application/vc+jwt' ? 'jwt' : 'ld', bytes: body }
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause
    throw createHostedUnavailableProblem(cause)
  }
}

const createHostedUnavailableProblem = (cause: Error) =>
  createProblem(
    'DPP_VC_SELF_HOSTED_UNAVAILABLE',
    'The certificate is kept by its organization, and is out of reach or none.',
    { cause },
  )

async function verifyServedCredential(context: Context, credential: ServedCredential): Promise<ServedVerification> {
  const secured = parseSecured(credential)
  return {
    ...(await verifyCredential(new VerificationFetcher(context, pageLimits), secured, credential.served)),
    credential: secured.credential,
  }
}

/**
 * Parses the bytes of a served credential.
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE if the hosted bytes are not a credential
 */
function parseSecured({ form, hosted, bytes }: ServedCredential): SecuredCredential {
  if (!hosted)
    return parseSecuredCredential(form === 'jwt' ? bytes.toString('utf8') : JSON.parse(bytes.toString('utf8')), 'body')
  try {
    return parseSecuredCredential(form === 'jwt' ? bytes.toString('utf8') : parseStrictJson(bytes), 'body')
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause
    throw createHostedUnavailableProblem(cause)
  }
}

/** Formats a credential for a worker thread: one line of JSON that describes it, then its bytes. */
function formatForThread({ bytes, ...rest }: ServedCredential): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(rest)}\n`), bytes])
}

/** Verifies a credential that `formatForThread` wrote for this thread. */
export async function verifyServedBytes(context: Context, bytes: Buffer): Promise<ServedVerification> {
  const end = bytes.indexOf('\n')
  const rest = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<ServedCredential, 'bytes'>
  return verifyServedCredential(context, { ...rest, bytes: bytes.subarray(end + 1) })
}
