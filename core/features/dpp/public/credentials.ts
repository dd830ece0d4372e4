import type { Knex } from 'knex'
import type { Caller } from '../../../kernel/caller.ts'
import { getCallerOrganization } from '../../../kernel/caller.ts'
import { OutboundError } from '../../../kernel/ports/outbound.ts'
import { createNotFoundProblem, createProblem, type ProblemError } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import {
  getCredentialAddress,
  credentialMediaTypes,
  hashHostedContent,
  getHostedForm,
  hostedFetchLimits,
  hostedMediaTypes,
  createMinimalCredential,
  negotiateMediaType,
  getPassportAddress,
  findContent,
  readSigningKey,
  type CredentialMediaType,
} from '../../certification/index.ts'
import { getInsiderOrganization, type PassportStatus } from '../passports/index.ts'
import { recordScan } from './scans.ts'

/** The media types of a credential with an embedded proof: the same bytes under two names. */
const embeddedTypes = credentialMediaTypes.filter((type) => type !== 'application/vc+jwt')

/** What a reader of a credential asks for. */
export interface CredentialRequest {
  accept: string | undefined
  cryptosuite: string | undefined
  version: number | null
  address: string
}
export interface ServedCredential {
  body: Buffer
  type: CredentialMediaType
}

interface CredentialRow {
  id: string
  organization: string
  status: PassportStatus
  certificate_uri: string | null
  updated_at: Date
  /** The members that identify the product. */
  product: Record<string, unknown>
  /** The anchored version, if any. */
  credential: string | null
  content_hash: string | null
  body: Buffer | null
  cid: string | null
}

/**
 * Reads the credential of a passport: the anchored version as it was stored; until there is one, an unsigned credential
 * that only identifies the product. An archived passport has no credential for any reader. The unsigned credential of a
 * draft is only for its organization. A reader outside the organization leaves a scan.
 * @throws NOT_FOUND
 * @throws NOT_ACCEPTABLE
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE
 * @throws DPP_VC_IPFS_UNAVAILABLE
 */
export async function readCredential(
  work: Work,
  caller: Caller,
  id: string,
  request: CredentialRequest,
): Promise<ServedCredential> {
  const { trx, context } = work
  const isRdfc = request.cryptosuite === 'eddsa-rdfc-2022'
  const requestedType = negotiateType(request.accept, isRdfc ? embeddedTypes : credentialMediaTypes)
  const row = await findCredentialRow(
    trx,
    id,
    isRdfc ? 'rdfc' : requestedType === 'application/vc+jwt' ? 'jwt' : 'ld',
    request.version,
  )
  const hidden = row?.status === 'draft' && getInsiderOrganization(caller) !== row.organization
  if (!row || row.status === 'archived' || hidden || (request.version !== null && row.credential === null))
    throw createNotFoundProblem()
  const served = isRdfc
    ? serveRdfcForm(row, requestedType)
    : await serveRow(context, row, requestedType, request.accept)
  if (getCallerOrganization(caller) !== row.organization) await recordScan(context, row.id, request.address)
  return served
}

/**
 * Finds the row of a passport with the stored bytes of one form.
 * @param form the form whose bytes are read
 * @param version one of the anchored versions; null for the served one
 */
async function findCredentialRow(
  db: Knex,
  id: string,
  form: 'ld' | 'jwt' | 'rdfc',
  version: number | null,
): Promise<CredentialRow | undefined> {
  const {
    rows: [row],
  } = await db.raw<{ rows: CredentialRow[] }>(
    `select p.id, p.organization, p.status, ${version === null ? 'p.certificate_uri' : 'null::text as certificate_uri'}, p.updated_at, c.id as credential, c.content_hash,
       c.${form} as body, c.cid,
       coalesce(p.product, jsonb_build_object('name', s.name, 'idGranularity', 'item', 'itemNumber', p.id)) as product
     from passports p left join sheets s on s.id = p.sheet left join passport_credentials c on ${
       version === null
         ? 'c.id = p.credential'
         : `c.passport = p.id and c.version = ? and c.key is not null
         and exists (select from anchors a where a.id = c.anchor and a.status = 'final')`
     }
     where p.id = ?`,
    version === null ? [id] : [version, id],
  )
  return row
}

/**
 * Returns the RDF form, which is only stored if the organization wants it, and which has no bytes if it could not be
 * made.
 * @throws NOT_ACCEPTABLE
 */
function serveRdfcForm({ body, certificate_uri }: CredentialRow, type: CredentialMediaType): ServedCredential {
  if (body === null || body.length === 0 || certificate_uri !== null)
    throw createNotAcceptableProblem('No proof of this suite is stored for the passport.')
  return { type, body }
}

async function serveRow(
  context: Context,
  row: CredentialRow,
  type: CredentialMediaType,
  accept: string | undefined,
): Promise<ServedCredential> {
  if (row.credential === null) return serveUnsigned(context, row, negotiateType(accept, embeddedTypes))
  return row.certificate_uri === null
    ? serveStored(context, row, type)
    : serveHosted(context, row, row.certificate_uri, accept)
}

/**
 * Negotiates the media type of the answer.
 * @throws NOT_ACCEPTABLE
 */
function negotiateType<T extends CredentialMediaType>(accept: string | undefined, offers: readonly T[]): T {
  const type = negotiateMediaType(accept, offers)
  if (type === null) throw createNotAcceptableProblem(`There is ${offers.join(' or ')}.`)
  return type
}

const createNotAcceptableProblem = (detail: string): ProblemError => createProblem('NOT_ACCEPTABLE', detail)

async function serveUnsigned(
  context: Context,
  row: CredentialRow,
  type: CredentialMediaType,
): Promise<ServedCredential> {
  const { issuer } = await readSigningKey(context.db, context, row.organization)
  const envelope = {
    id: getCredentialAddress(context, row.id),
    subject: getPassportAddress(context, row.id),
    issuer,
    validFrom: row.updated_at,
    context: null,
  }
  return { type, body: Buffer.from(JSON.stringify(createMinimalCredential(row.product, envelope))) }
}

/**
 * Returns the stored bytes. If they are missing, it reads them by their content identifier, which only the embedded
 * form has.
 * @throws DPP_VC_IPFS_UNAVAILABLE
 */
async function serveStored(
  context: Context,
  { id, body, cid }: CredentialRow,
  type: CredentialMediaType,
): Promise<ServedCredential> {
  if (body !== null) return { type, body }
  const kept = type === 'application/vc+jwt' || cid === null ? null : await findContent(context, cid)
  if (kept !== null) return { type, body: kept }
  context.log.warn({ passport: id, cid, type }, 'a stored credential is out of reach')
  throw createProblem(
    'DPP_VC_IPFS_UNAVAILABLE',
    'No stored copy of the credential is left, and IPFS does not give it at present.',
  )
}

/**
 * Returns a certificate that its organization hosts. The certificate is fetched for each request, compared with the
 * anchored content hash, and never stored. It has only the form in which its host serves it.
 * @throws NOT_ACCEPTABLE
 * @throws DPP_VC_SELF_HOSTED_UNAVAILABLE
 */
async function serveHosted(
  context: Context,
  row: CredentialRow,
  address: string,
  accept: string | undefined,
): Promise<ServedCredential> {
  const fetched = await context.outbound
    .get(address, { mediaTypes: hostedMediaTypes, ...hostedFetchLimits })
    .catch((cause: unknown) => {
      if (cause instanceof OutboundError) throw createUnavailableProblem(cause)
      throw cause
    })
  const form = getHostedForm(fetched.type)
  if (hashHostedContent(fetched.body, form) !== row.content_hash) {
    context.log.warn({ passport: row.id }, 'a hosted certificate is not the one that is anchored')
    throw createUnavailableProblem()
  }
  return { type: negotiateType(accept, form === 'application/vc+jwt' ? [form] : embeddedTypes), body: fetched.body }
}

const createUnavailableProblem = (cause?: OutboundError): ProblemError =>
  createProblem(
    'DPP_VC_SELF_HOSTED_UNAVAILABLE',
    'The certificate is kept by its organization, and is out of reach, gone, or not the one that was anchored.',
    { cause },
  )
