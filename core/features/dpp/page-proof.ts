import type { Knex } from 'knex'
import { Problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { contentHash, contentOf, type CertifiedContent } from '../certification/index.ts'
import { certifiedContent } from './certified.ts'
import { isObject } from './fields.judges.ts'
import type { Check, Verification } from './open.types.ts'
import { marked } from './page-values.ts'
import { passportView, type PassportView } from './page-views.ts'
import { PassportRow } from './passports.model.ts'
import { SheetRow } from './sheets.model.ts'
import { verificationOf } from './verify.ts'

/**
 * How the certificate of a passport stands at this moment. `failed`: a check fails, and it is neither revoked nor
 * suspended. `unreachable`: it is kept elsewhere and cannot be had. `archived`: there was one, and none is served.
 */
export type Standing =
  | 'none' | 'pending' | 'archived' | 'verified' | 'failed' | 'suspended' | 'revoked' | 'unreachable'

export interface PassportProof {
  standing: Standing
  /** What was checked, without what is only told. */
  checks: Check[]
  /** Who signed; `domain` where a web site vouches for the key. Null where there is no certificate to be read. */
  issuer: { name: string; domain: string | null } | null
  /** Whether the organization keeps the certificate itself. */
  hosted: boolean
  /** Whether another version is being certified. */
  renewing: boolean
}

export interface OpenPassport extends PassportView { organizationName: string; proof: PassportProof }

interface StoredRow {
  organization_name: string
  credential: string | null
  ld: Buffer | null
  hosted: boolean
  revoked: number | null
  suspended: number | null
}

/** A bit of a list: the first one is the highest of the first byte. Source: W3C Bitstring Status List 1.0, section 3.1. */
const bit = (list: string) => `(get_byte(${list}.bits, c.status_index / 8) >> (7 - c.status_index % 8)) & 1`

/** A passport as its page shows it, its certificate checked now; null for a draft and for none. */
export async function openPassport(context: Context, id: string): Promise<OpenPassport | null> {
  const { db } = context
  const [view, stored] = await Promise.all([passportView(db, id), storedRow(db, id)])
  if (!view || !stored) return null
  const proof = await proofOf(context, view, stored)
  const content = proof.standing === 'verified' ? await servedContent(db, id, stored) : null
  const values = content ? marked(view.values, content) : view.values
  return { ...view, values, proof, organizationName: stored.organization_name }
}

async function storedRow(db: Knex, id: string): Promise<StoredRow | undefined> {
  const { rows: [row] } = await db.raw<{ rows: StoredRow[] }>(
    `select o.name as organization_name, c.id as credential, c.ld, p.certificate_uri is not null as hosted,
       ${bit('r')} as revoked, ${bit('s')} as suspended
     from passports p join organizations o on o.id = p.organization
     left join passport_credentials c on c.id = p.credential
     left join status_lists r on r.pair = c.status_pair and r.purpose = 'revocation'
     left join status_lists s on s.pair = c.status_pair and s.purpose = 'suspension'
     where p.id = ?`, [id])
  return row
}

async function proofOf(context: Context, { passport }: PassportView, stored: StoredRow): Promise<PassportProof> {
  const { credential, hosted, organization_name: name } = stored
  const pending = passport.certificationStatus === 'pending'
  const plain = { checks: [], issuer: null, hosted: credential !== null && hosted, renewing: false }
  if (credential === null) return { ...plain, standing: pending && passport.status !== 'archived' ? 'pending' : 'none' }
  if (passport.status === 'archived') return { ...plain, standing: 'archived' }
  const found = { ...plain, issuer: issuerOf(stored.ld) ?? { name, domain: null }, renewing: pending }
  const verification = await checked(context, passport.id)
  const checks = (verification?.checks ?? []).filter(({ check }) => check !== 'schema')
  return { ...found, checks, standing: standingOf(verification, stored) }
}

function standingOf(verification: Verification | null, { revoked, suspended }: StoredRow): Standing {
  if (revoked === 1) return 'revoked'
  if (suspended === 1) return 'suspended'
  if (verification === null) return 'unreachable'
  return verification.verified ? 'verified' : 'failed'
}

/** Null where the certificate cannot be had. The page is there all the same when the check itself breaks down. */
async function checked(context: Context, passport: string): Promise<Verification | null> {
  try {
    return await verificationOf(context, passport)
  } catch (cause) {
    if (!(cause instanceof Problem)) context.log.error({ err: cause, passport }, 'a certificate could not be checked')
    return null
  }
}

/** Who the stored bytes say it is from. Source: did:web method specification, section 2. */
function issuerOf(ld: Buffer | null): PassportProof['issuer'] {
  const credential: unknown = ld === null ? null : JSON.parse(ld.toString('utf8'))
  const issuer = isObject(credential) ? credential['issuer'] : null
  if (!isObject(issuer)) return null
  const [, host] = /^did:web:([^:/?#]+)/.exec(String(issuer['id'])) ?? []
  return { name: String(issuer['name']), domain: host === undefined ? null : decodeURIComponent(host) }
}

/** What the served version certifies; of one that is kept elsewhere what the passport holds, while that is the same. */
async function servedContent(db: Knex, id: string, { ld }: StoredRow): Promise<CertifiedContent | null> {
  if (ld !== null) return contentOf(JSON.parse(ld.toString('utf8')))
  const row = await PassportRow.query(db).findById(id)
  if (!row) return null
  const sheet = row.sheet === null ? null : await SheetRow.query(db).findById(row.sheet)
  const content = certifiedContent(row, sheet ?? null)
  return content && contentHash(content) === row.contentHash ? content : null
}
