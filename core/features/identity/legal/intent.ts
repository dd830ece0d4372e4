import { timingSafeEqual } from 'node:crypto'
import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import { hashForRealm, type AuthContext } from '../auth.ts'
import { formatCookie } from '../sessions.ts'
import { findAccepted, insertAcceptances, type AcceptedDocument } from './acceptances.ts'
import type { LegalAcceptance } from './legal.schema.ts'

const cookieName = 'tessera.signup'
const lifetimeSeconds = 30 * 60

/** What a person accepted before they signed up, as their browser keeps it. */
interface SignUpIntent {
  id: string
  /** When it was accepted, RFC 3339. */
  at: string
  address: string
  accepted: AcceptedDocument[]
}

const sign = (parts: Pick<AuthContext, 'settings'>, text: string): string =>
  hashForRealm(parts, { kind: 'member', application: null }, `signup:${text}`)

/**
 * Creates the Set-Cookie field that keeps, for 30 minutes, what a person accepts before they sign up. The cookie is
 * signed, so that its time and address count as evidence.
 * @throws VALIDATION_FAILED for a document that is not known, or a version that is not the current one
 */
export function createIntentCookie(
  { settings }: Pick<Context, 'settings'>,
  acceptances: readonly LegalAcceptance[],
  address: string,
): string {
  const intent: SignUpIntent = {
    id: newId(),
    at: new Date().toISOString(),
    address,
    accepted: findAccepted(acceptances),
  }
  const text = Buffer.from(JSON.stringify(intent)).toString('base64url')
  return formatCookie({ settings }, cookieName, `${text}.${sign({ settings }, text)}`, lifetimeSeconds)
}

/** Finds the intent of a request: null if it has none, or one that is older than 30 minutes or not signed by us. */
function findIntent(
  parts: Pick<AuthContext, 'settings'>,
  headers: Record<string, string | string[] | undefined>,
): SignUpIntent | null {
  const cookies = [headers['cookie']].flat().join('; ')
  const [, text = '', signature = ''] = new RegExp(`(?:^|; )${cookieName}=([\\w-]+)\\.([\\w-]+)`).exec(cookies) ?? []
  const expected = Buffer.from(sign(parts, text))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const intent = JSON.parse(Buffer.from(text, 'base64url').toString()) as SignUpIntent
  return Date.parse(intent.at) + lifetimeSeconds * 1000 > Date.now() ? intent : null
}

/** Keeps what a person accepted before they signed up, if their request says so. An intent counts for one person. */
export async function acceptIntent(
  trx: Knex,
  parts: Pick<AuthContext, 'settings'>,
  {
    user,
    organization,
    headers,
  }: {
    user: string
    organization: string | null
    headers: Record<string, string | string[] | undefined>
  },
): Promise<void> {
  const intent = findIntent(parts, headers)
  if (!intent) return
  const { id, at, address, accepted } = intent
  await insertAcceptances(trx, accepted, { user, organization, address, acceptedAt: new Date(at), intent: id })
}
