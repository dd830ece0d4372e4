import type { Knex } from 'knex'
import type { Caller } from '../../kernel/caller.ts'
import { organizationOf } from '../../kernel/caller.ts'
import { OutboundError } from '../../kernel/parts.ts'
import { notFound, problem, type Problem } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import {
  credentialAddress, credentialTypes, hashOfHosted, hostedForm, hostedLimits, hostedTypes, minimalCredential, negotiate,
  passportAddress, readContent, signingKey, type CredentialType,
} from '../certification/index.ts'
import { insiderOf } from './passports.present.ts'
import type { PassportStatus } from './passports.schema.ts'
import { recordScan } from './scans.ts'

/** The forms that an embedded proof has: the same bytes under two names. */
const embedded = credentialTypes.filter((type) => type !== 'application/vc+jwt')

/** What a reader asks for. */
export interface CredentialWish { accept: string | undefined; cryptosuite: string | undefined; version: number | null; address: string }
export interface ServedCredential { body: Buffer; type: CredentialType }

interface Row {
  id: string
  organization: string
  status: PassportStatus
  certificate_uri: string | null
  updated_at: Date
  /** What identifies the product. */
  product: Record<string, unknown>
  /** The anchored version, if any. */
  credential: string | null
  content_hash: string | null
  body: Buffer | null
  cid: string | null
}

/**
 * The credential of a passport: the anchored version as it was stored; while there is none, an unsigned one that only
 * identifies the product. There is none of an archived passport, for nobody; of a draft its organization sees the
 * unsigned one. A reader outside the organization leaves a scan. @throws NOT_FOUND, NOT_ACCEPTABLE,
 * DPP_VC_SELF_HOSTED_UNAVAILABLE, DPP_VC_IPFS_UNAVAILABLE
 */
export async function readCredential(work: Work, caller: Caller, id: string, wish: CredentialWish): Promise<ServedCredential> {
  const { trx, context } = work
  const isRdfc = wish.cryptosuite === 'eddsa-rdfc-2022'
  const wished = chosen(wish.accept, isRdfc ? embedded : credentialTypes)
  const row = await credentialRow(trx, id, isRdfc ? 'rdfc' : wished === 'application/vc+jwt' ? 'jwt' : 'ld', wish.version)
  const hidden = row?.status === 'draft' && insiderOf(caller) !== row.organization
  if (!row || row.status === 'archived' || hidden || (wish.version !== null && row.credential === null)) throw notFound()
  const served = isRdfc ? thirdForm(row, wished) : await credentialOfRow(context, row, wished, wish.accept)
  if (organizationOf(caller) !== row.organization) await recordScan(context, row.id, wish.address)
  return served
}

/** @param form whose bytes are read. @param version that is asked for, of those that are anchored; null: the served one */
async function credentialRow(db: Knex, id: string, form: 'ld' | 'jwt' | 'rdfc', version: number | null): Promise<Row | undefined> {
  const { rows: [row] } = await db.raw<{ rows: Row[] }>(
    `select p.id, p.organization, p.status, ${version === null ? 'p.certificate_uri' : 'null::text as certificate_uri'}, p.updated_at, c.id as credential, c.content_hash,
       c.${form} as body, c.cid,
       coalesce(p.product, jsonb_build_object('name', s.name, 'idGranularity', 'item', 'itemNumber', p.id)) as product
     from passports p left join sheets s on s.id = p.sheet left join passport_credentials c on ${
       version === null ? 'c.id = p.credential' : `c.passport = p.id and c.version = ? and c.key is not null
         and exists (select from anchors a where a.id = c.anchor and a.status = 'final')`}
     where p.id = ?`, version === null ? [id] : [version, id])
  return row
}

/** The form that is stored only where the organization chose it, without bytes where none can be made. @throws NOT_ACCEPTABLE */
function thirdForm({ body, certificate_uri }: Row, type: CredentialType): ServedCredential {
  if (body === null || body.length === 0 || certificate_uri !== null) throw notAcceptable('No proof of this suite is stored for the passport.')
  return { type, body }
}

async function credentialOfRow(
  context: Context, row: Row, type: CredentialType, accept: string | undefined,
): Promise<ServedCredential> {
  if (row.credential === null) return unsigned(context, row, chosen(accept, embedded))
  return row.certificate_uri === null ? stored(context, row, type) : hosted(context, row, row.certificate_uri, accept)
}

/** @throws NOT_ACCEPTABLE */
function chosen<T extends CredentialType>(accept: string | undefined, offers: readonly T[]): T {
  const type = negotiate(accept, offers)
  if (type === null) throw notAcceptable(`There is ${offers.join(' or ')}.`)
  return type
}

const notAcceptable = (detail: string): Problem => problem('NOT_ACCEPTABLE', detail)

async function unsigned(context: Context, row: Row, type: CredentialType): Promise<ServedCredential> {
  const { issuer } = await signingKey(context.db, context, row.organization)
  const envelope = {
    id: credentialAddress(context, row.id), subject: passportAddress(context, row.id), issuer,
    validFrom: row.updated_at, context: null,
  }
  return { type, body: Buffer.from(JSON.stringify(minimalCredential(row.product, envelope))) }
}

/** Bytes that are gone are read by their content identifier, which only the embedded form has. */
async function stored(context: Context, { id, body, cid }: Row, type: CredentialType): Promise<ServedCredential> {
  if (body !== null) return { type, body }
  const kept = type === 'application/vc+jwt' || cid === null ? null : await readContent(context, cid)
  if (kept !== null) return { type, body: kept }
  context.log.warn({ passport: id, cid, type }, 'a stored credential is out of reach')
  throw problem('DPP_VC_IPFS_UNAVAILABLE', 'No stored copy of the credential is left, and IPFS does not give it at present.')
}

/**
 * A certificate that its organization keeps: fetched anew each time, held against what is anchored, never stored. It
 * has one form, the one it is answered in there.
 */
async function hosted(context: Context, row: Row, address: string, accept: string | undefined): Promise<ServedCredential> {
  const fetched = await context.outbound.get(address, { types: hostedTypes, ...hostedLimits }).catch((cause: unknown) => {
    if (cause instanceof OutboundError) throw outOfReach(cause)
    throw cause
  })
  const form = hostedForm(fetched.type)
  if (hashOfHosted(fetched.body, form) !== row.content_hash) {
    context.log.warn({ passport: row.id }, 'a hosted certificate is not the one that is anchored')
    throw outOfReach()
  }
  return { type: chosen(accept, form === 'application/vc+jwt' ? [form] : embedded), body: fetched.body }
}

const outOfReach = (cause?: OutboundError): Problem => problem(
  'DPP_VC_SELF_HOSTED_UNAVAILABLE',
  'The certificate is kept by its organization, and is out of reach, gone, or not the one that was anchored.', { cause })
