import type { Knex } from 'knex'
import { networkOf } from '../../kernel/network.ts'
import { OverloadedError } from '../../kernel/overloaded.ts'
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
import { verificationOf, type ServedVerification } from './verify.served.ts'

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

/** Who looks: their address, and the numbers of the code that led here, which are looked up again. */
export interface Visit { address: string; scanned: ScannedNumbers }

/** Reads a passport as its page shows it, its certificate checked now; null for a draft and for none. */
export async function openPassport(context: Context, id: string, { address, scanned }: Visit): Promise<OpenPassport | null> {
  const { db } = context
  const [view, stored] = await Promise.all([passportView(db, id), storedRow(db, id)])
  if (!view || !stored) return null
  const [publisher, unregistered] = await Promise.all([
    readPublisher(db, view.organization, view.gtin), findUnregistered(context, view, scanned)])
  const served = stored.credential !== null && view.passport.status !== 'archived'
  const outcome = served ? await checked(context, id, `network ${networkOf(address)}`) : 'unreachable'
  const verification = typeof outcome === 'string' ? null : outcome
  const proof = proofOf(view, stored, outcome)
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

/** What checking a certificate came to, or why it was not checked. */
type CheckOutcome = ServedVerification | 'unreachable' | 'unknown'

function proofOf({ passport }: PassportView, stored: StoredRow, outcome: CheckOutcome): PassportProof {
  const { credential, hosted, organization_name: name } = stored
  const verification = typeof outcome === 'string' ? null : outcome
  const pending = passport.certificationStatus === 'pending'
  const plain = { checks: [], issuer: null, hosted: credential !== null && hosted, renewing: false }
  if (credential === null) return { ...plain, standing: pending && passport.status !== 'archived' ? 'pending' : 'none' }
  if (passport.status === 'archived') return { ...plain, standing: 'archived' }
  const issuer = (hosted || !verification ? null : issuerOf(verification)) ?? { name, domain: null }
  const checks = (verification?.checks ?? []).filter(({ check }) => check !== 'schema')
  return { ...plain, issuer, renewing: pending, checks, standing: standingOf(outcome, stored) }
}

function standingOf(outcome: CheckOutcome, { revoked, suspended }: StoredRow): Standing {
  if (revoked === 1) return 'revoked'
  if (suspended === 1) return 'suspended'
  return typeof outcome === 'string' ? outcome : outcome.verdict
}

/**
 * `unreachable` where the certificate cannot be had, `unknown` where there is no room to check it now. The page is there
 * all the same when the check itself breaks down.
 */
async function checked(context: Context, passport: string, visitor: string): Promise<CheckOutcome> {
  try {
    return await verificationOf(context, passport, visitor) ?? 'unreachable'
  } catch (cause) {
    if (cause instanceof OverloadedError) return 'unknown'
    if (cause instanceof Problem) return cause.code === 'RATE_LIMITED' ? 'unknown' : 'unreachable'
    context.log.error({ err: cause, passport }, 'a certificate could not be checked')
    return 'unreachable'
  }
}

/** Who our own certificate says it is from. Source: did:web method specification, section 2. */
function issuerOf({ credential: { issuer } }: ServedVerification): PassportProof['issuer'] {
  if (!isObject(issuer)) return null
  const [, host] = /^did:web:([^:/?#]+)/.exec(String(issuer['id'])) ?? []
  return { name: String(issuer['name']), domain: host === undefined ? null : decodeURIComponent(host) }
}
