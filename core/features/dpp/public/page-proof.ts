import type { Knex } from 'knex'
import { toIpNetwork } from '../../../kernel/request/ip-network.ts'
import { OverloadedError } from '../../../kernel/overloaded.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { Context } from '../../../kernel/work.ts'
import { parseCertifiedContent } from '../../certification/index.ts'
import { isObject } from '../fields/index.ts'
import { findPublished, hasNoNumbers, type Publisher, readPublisher, type ScannedNumbers } from '../gs1/index.ts'
import { nameSeenPictures } from '../pictures/index.ts'
import type { Check } from '../readiness/index.ts'
import { markCertified, type LabelledValue } from './page-values.ts'
import { listShownAddresses, readPassportView, type PassportView } from './page-views.ts'
import { verifyServedVersion, type ServedVerification } from './verify.served.ts'

/**
 * The present state of a passport's certificate. `failed`: a check fails, and the certificate is neither revoked nor
 * suspended. `unknown`: nothing speaks against the certificate, but a check cannot be carried out now. `unreachable`:
 * the certificate is stored or hosted elsewhere and cannot be read now. `archived`: there was a certificate, and none
 * is served any more.
 */
export type CertificateStanding =
  'none' | 'pending' | 'archived' | 'verified' | 'failed' | 'suspended' | 'revoked' | 'unreachable' | 'unknown'

export interface PassportProof {
  standing: CertificateStanding
  /** The checks that count, so without `schema`. */
  checks: Check[]
  /** The issuer of the certificate; `domain` if a web site vouches for the key. Null if no certificate can be read. */
  issuer: { name: string; domain: string | null } | null
  /** Whether the organization hosts the certificate itself. */
  hosted: boolean
  /** Whether another version is being certified. */
  renewing: boolean
}

export interface PassportPage extends PassportView {
  organizationName: string
  proof: PassportProof
  /** The publisher of the passport, and what is proven about it. */
  publisher: Publisher
  /** The scanned numbers that led here although the maker has not registered them. */
  unregistered: ScannedNumbers
  /** Whether the reader is signed in and has claimed it. */
  isOwn: boolean
}

interface StoredRow {
  organization_name: string
  credential: string | null
  hosted: boolean
  revoked: number | null
  suspended: number | null
}

/**
 * Creates the SQL of a bit of a status list; the first bit is the highest of the first byte. Source: W3C Bitstring
 * Status List 1.0, section 3.1.
 */
const createBitSql = (list: string) => `(get_byte(${list}.bits, c.status_index / 8) >> (7 - c.status_index % 8)) & 1`

/** The visit of a page: the address of the visitor, and the numbers of the scanned code, which are looked up again. */
export interface PageVisit {
  address: string
  scanned: ScannedNumbers
  /** The accounts of a buyer who is signed in. */
  accounts: readonly string[]
  language: string
}

/**
 * Reads a passport as its page shows it and checks its certificate now; null for a draft and for a passport that does
 * not exist.
 */
export async function readPassportPage(
  context: Context,
  id: string,
  { address, scanned, accounts, language }: PageVisit,
): Promise<PassportPage | null> {
  const { db } = context
  const [view, stored] = await Promise.all([readPassportView(db, id, language), findStoredRow(db, id)])
  if (!view || !stored) return null
  await nameSeenPictures(context, view.organization, listShownAddresses(view.pictures, view.application.theme))
  const [publisher, unregistered] = await Promise.all([
    readPublisher(db, view.organization, view.gtin),
    findUnregistered(context, view, scanned),
  ])
  const served = stored.credential !== null && view.passport.status !== 'archived'
  const outcome = served ? await checkCertificate(context, id, `network ${toIpNetwork(address)}`) : 'unreachable'
  const verification = typeof outcome === 'string' ? null : outcome
  const proof = createProof(view, stored, outcome)
  const content = verification && proof.standing === 'verified' ? parseCertifiedContent(verification.credential) : null
  const mark = (values: readonly LabelledValue[]) => (content ? markCertified(values, content) : [...values])
  const isOwn = view.holder !== null && accounts.includes(view.holder)
  const [product, values] = [mark(view.product), mark(view.values)]
  return { ...view, product, values, proof, organizationName: stored.organization_name, publisher, unregistered, isOwn }
}

/**
 * Looks the scanned numbers up among everything that the organization publishes under the passport's GTIN, not only in
 * this passport.
 */
async function findUnregistered(
  context: Context,
  { gtin, organization }: PassportView,
  scanned: ScannedNumbers,
): Promise<ScannedNumbers> {
  if (gtin === null || hasNoNumbers(scanned)) return {}
  const [best] = await findPublished(context, { gtin, ...scanned }, organization, context.settings.publicUrl)
  return best?.unregistered ?? scanned
}

async function findStoredRow(db: Knex, id: string): Promise<StoredRow | undefined> {
  const {
    rows: [row],
  } = await db.raw<{ rows: StoredRow[] }>(
    `select o.name as organization_name, c.id as credential, p.certificate_uri is not null as hosted,
       ${createBitSql('r')} as revoked, ${createBitSql('s')} as suspended
     from passports p join organizations o on o.id = p.organization
     left join passport_credentials c on c.id = p.credential
     left join status_lists r on r.pair = c.status_pair and r.purpose = 'revocation'
     left join status_lists s on s.pair = c.status_pair and s.purpose = 'suspension'
     where p.id = ?`,
    [id],
  )
  return row
}

/** The result of checking a certificate, or why it was not checked. */
type CheckOutcome = ServedVerification | 'unreachable' | 'unknown'

function createProof({ passport }: PassportView, stored: StoredRow, outcome: CheckOutcome): PassportProof {
  const { credential, hosted, organization_name: name } = stored
  const verification = typeof outcome === 'string' ? null : outcome
  const pending = passport.certificationStatus === 'pending'
  const plain = { checks: [], issuer: null, hosted: credential !== null && hosted, renewing: false }
  if (credential === null) return { ...plain, standing: pending && passport.status !== 'archived' ? 'pending' : 'none' }
  if (passport.status === 'archived') return { ...plain, standing: 'archived' }
  const issuer = (hosted || !verification ? null : parseIssuer(verification)) ?? { name, domain: null }
  const checks = (verification?.checks ?? []).filter(({ check }) => check !== 'schema')
  return { ...plain, issuer, renewing: pending, checks, standing: getStanding(outcome, stored) }
}

function getStanding(outcome: CheckOutcome, { revoked, suspended }: StoredRow): CertificateStanding {
  if (revoked === 1) return 'revoked'
  if (suspended === 1) return 'suspended'
  return typeof outcome === 'string' ? outcome : outcome.verdict
}

/**
 * Checks a certificate. Returns `unreachable` if it cannot be read, and `unknown` if there is no capacity to check it
 * now. An unexpected error counts as `unreachable`, so that the page is served anyway.
 */
async function checkCertificate(context: Context, passport: string, visitor: string): Promise<CheckOutcome> {
  try {
    return (await verifyServedVersion(context, passport, visitor)) ?? 'unreachable'
  } catch (cause) {
    if (cause instanceof OverloadedError) return 'unknown'
    if (cause instanceof ProblemError) return cause.code === 'RATE_LIMITED' ? 'unknown' : 'unreachable'
    context.log.error({ err: cause, passport }, 'a certificate could not be checked')
    return 'unreachable'
  }
}

/** Parses the issuer of a certificate of ours. Source: did:web method specification, section 2. */
function parseIssuer({ credential: { issuer } }: ServedVerification): PassportProof['issuer'] {
  if (!isObject(issuer)) return null
  const [, host] = /^did:web:([^:/?#]+)/.exec(String(issuer['id'])) ?? []
  return { name: String(issuer['name']), domain: host === undefined ? null : decodeURIComponent(host) }
}
