import type { Knex } from 'knex'
import { Problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { contentOf } from '../certification/index.ts'
import { isObject } from './fields.judges.ts'
import { findPublished } from './gs1.resolve.ts'
import { readPublisher, type Publisher } from './gtins/publishers.ts'
import { isEmpty, type ScannedNumbers } from './gtins/scanned.ts'
import type { Check } from './open.types.ts'
import { marked } from './page-values.ts'
import { passportView, type PassportView } from './page-views.ts'
import { verificationOf, type ServedVerification } from './verify.ts'

/**
 * How the certificate of a passport stands at this moment. `failed`: a check fails, and it is neither revoked nor
 * suspended. `unknown`: nothing speaks against it, and a check cannot be carried out now. `unreachable`: it is kept
 * elsewhere and cannot be had. `archived`: there was one, and none is served.
 */
export type Standing =
  | 'none' | 'pending' | 'archived' | 'verified' | 'failed' | 'suspended' | 'revoked' | 'unreachable' | 'unknown'

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

export interface OpenPassport extends PassportView {
  organizationName: string
  proof: PassportProof
  /** Who publishes it, and what of that is proven. */
  publisher: Publisher
  /** What was scanned and led here although the maker has not registered it. */
  unregistered: ScannedNumbers
}

interface StoredRow {
  organization_name: string
  credential: string | null
  hosted: boolean
  revoked: number | null
  suspended: number | null
}

/** A bit of a list: the first one is the highest of the first byte. Source: W3C Bitstring Status List 1.0, section 3.1. */
const bit = (list: string) => `(get_byte(${list}.bits, c.status_index / 8) >> (7 - c.status_index % 8)) & 1`

/**
 * Reads a passport as its page shows it, its certificate checked now; null for a draft and for none.
 * @param scanned numbers of the code that led here; they are looked up again
 */
export async function openPassport(context: Context, id: string, scanned: ScannedNumbers = {}): Promise<OpenPassport | null> {
  const { db } = context
  const [view, stored] = await Promise.all([passportView(db, id), storedRow(db, id)])
  if (!view || !stored) return null
  const [publisher, unregistered] = await Promise.all([
    readPublisher(db, view.organization, view.gtin), findUnregistered(context, view, scanned)])
  const served = stored.credential !== null && view.passport.status !== 'archived'
  const verification = served ? await checked(context, id) : null
  const proof = proofOf(view, stored, verification)
  const content = verification && proof.standing === 'verified' ? contentOf(verification.credential) : null
  const values = content ? marked(view.values, content) : view.values
  return { ...view, values, proof, organizationName: stored.organization_name, publisher, unregistered }
}

/** Looks up what was scanned among all that the organization publishes under the passport's GTIN, not only here. */
async function findUnregistered(
  context: Context, { gtin, organization }: PassportView, scanned: ScannedNumbers,
): Promise<ScannedNumbers> {
  if (gtin === null || isEmpty(scanned)) return {}
  const [best] = await findPublished(context, { gtin, ...scanned }, organization, context.settings.publicUrl)
  return best?.unregistered ?? scanned
}

async function storedRow(db: Knex, id: string): Promise<StoredRow | undefined> {
  const { rows: [row] } = await db.raw<{ rows: StoredRow[] }>(
    `select o.name as organization_name, c.id as credential, p.certificate_uri is not null as hosted,
       ${bit('r')} as revoked, ${bit('s')} as suspended
     from passports p join organizations o on o.id = p.organization
     left join passport_credentials c on c.id = p.credential
     left join status_lists r on r.pair = c.status_pair and r.purpose = 'revocation'
     left join status_lists s on s.pair = c.status_pair and s.purpose = 'suspension'
     where p.id = ?`, [id])
  return row
}

function proofOf({ passport }: PassportView, stored: StoredRow, verification: ServedVerification | null): PassportProof {
  const { credential, hosted, organization_name: name } = stored
  const pending = passport.certificationStatus === 'pending'
  const plain = { checks: [], issuer: null, hosted: credential !== null && hosted, renewing: false }
  if (credential === null) return { ...plain, standing: pending && passport.status !== 'archived' ? 'pending' : 'none' }
  if (passport.status === 'archived') return { ...plain, standing: 'archived' }
  const issuer = (hosted || !verification ? null : issuerOf(verification)) ?? { name, domain: null }
  const checks = (verification?.checks ?? []).filter(({ check }) => check !== 'schema')
  return { ...plain, issuer, renewing: pending, checks, standing: standingOf(verification, stored) }
}

function standingOf(verification: ServedVerification | null, { revoked, suspended }: StoredRow): Standing {
  if (revoked === 1) return 'revoked'
  if (suspended === 1) return 'suspended'
  if (verification === null) return 'unreachable'
  return verification.verdict
}

/** Null where the certificate cannot be had. The page is there all the same when the check itself breaks down. */
async function checked(context: Context, passport: string): Promise<ServedVerification | null> {
  try {
    return await verificationOf(context, passport)
  } catch (cause) {
    if (!(cause instanceof Problem)) context.log.error({ err: cause, passport }, 'a certificate could not be checked')
    return null
  }
}

/** Who our own certificate says it is from. Source: did:web method specification, section 2. */
function issuerOf({ credential: { issuer } }: ServedVerification): PassportProof['issuer'] {
  if (!isObject(issuer)) return null
  const [, host] = /^did:web:([^:/?#]+)/.exec(String(issuer['id'])) ?? []
  return { name: String(issuer['name']), domain: host === undefined ? null : decodeURIComponent(host) }
}
