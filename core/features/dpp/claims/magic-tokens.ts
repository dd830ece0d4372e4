import { hkdfSync, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { isCanonicalBase64url } from '../../../kernel/text/base64url.ts'
import { createProblem, type ProblemError } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { instant, object, secret, type Static } from '../../../kernel/schema.ts'
import { assertClaimable, lockPassport } from '../passports/index.ts'

export const MagicToken = object(
  {
    token: secret('Signed JWT. Whoever shows it may claim the passport, once.'),
    url: secret('Page that signs its visitor in and claims.', { format: 'uri' }),
    expiresAt: instant('When it stops working.'),
  },
  { title: 'MagicToken', description: 'A single-use token to claim one passport.' },
)
export type MagicToken = Static<typeof MagicToken>

interface TokenRow {
  jti: string
  issued_at: Date
  expires_at: Date
}

/**
 * Creates the magic token of a claimable passport, or returns the existing one until it is used or expires. Only the
 * identifier and the times of the token are stored; its text is signed again from them.
 * @throws NOT_FOUND
 * @throws DPP_PASSPORT_NOT_CLAIMABLE
 */
export async function createMagicToken(work: Work, caller: OrganizationCaller, passport: string): Promise<MagicToken> {
  const row = await lockPassport(work, caller, passport)
  await assertClaimable(work.trx, row)
  const { settings } = work.context
  const { jti, issued_at, expires_at } = await ensureTokenRow(work.trx, passport, settings.magicTokenDays)
  const payload = { jti, passport, iat: toUnixSeconds(issued_at), exp: toUnixSeconds(expires_at) }
  const { CompactSign } = await loadJose()
  const token = await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(deriveTokenKey(work.context))
  return { token, url: `${settings.publicUrl}/claim?token=${token}`, expiresAt: expires_at.toISOString() }
}

/**
 * Revokes the magic token of a passport: those who have the token cannot claim anything with it any more, and the next
 * request creates a different one. A claim that was already accepted goes on. Without a token nothing changes.
 * @throws NOT_FOUND
 */
export async function revokeMagicToken(work: Work, caller: OrganizationCaller, passport: string): Promise<void> {
  await lockPassport(work, caller, passport)
  await work.trx('magic_tokens').where({ passport }).delete()
}

const toUnixSeconds = (at: Date) => Math.floor(at.getTime() / 1000)

/** Inserts a new row if there is none, or if the present one is spent or expired. The passport has to be locked. */
async function ensureTokenRow(trx: Knex, passport: string, days: number): Promise<TokenRow> {
  await trx.raw(
    `insert into magic_tokens as kept (passport, jti, issued_at, expires_at)
     values (?, ?, date_trunc('second', now()), date_trunc('second', now()) + ? * interval '1 day')
     on conflict (passport) do update
       set jti = excluded.jti, issued_at = excluded.issued_at, expires_at = excluded.expires_at, spent_by = null
       where kept.spent_by is not null or kept.expires_at <= now()`,
    [passport, randomBytes(16).toString('base64url'), days],
  )
  const row = await trx('magic_tokens').where({ passport }).first<TokenRow | undefined>()
  if (!row) throw new Error(`The magic token of passport ${passport} is gone`)
  return row
}

/** Derives the key that signs magic tokens and nothing else. Source: RFC 5869. */
function deriveTokenKey({ settings: { sessionSecret } }: Context): Uint8Array {
  if (sessionSecret === undefined) throw new Error('SESSION_SECRET is not set; magic tokens need it')
  return new Uint8Array(hkdfSync('sha256', sessionSecret, '', 'tessera magic token', 32))
}

/** A token with a valid signature: the passport that it is for, and its own identifier. */
export interface VerifiedToken {
  passport: string
  jti: string
}

/** The maximum length of a token, in characters. Our tokens are a tenth as long. */
const maxTokenLength = 4096

/** Loads `jose` at the first token, so that a process starts sooner. */
const loadJose = () => import('jose')

/**
 * Verifies the signature of a token. `isUnspent` tells whether the token still works.
 * @throws DPP_MAGIC_TOKEN_INVALID
 */
export async function verifyMagicToken(context: Context, token: string): Promise<VerifiedToken> {
  if (token.length > maxTokenLength || !token.split('.').every(isCanonicalBase64url)) throw createInvalidTokenProblem()
  const { compactVerify, errors } = await loadJose()
  const payload = await compactVerify(token, deriveTokenKey(context), { algorithms: ['HS256'] }).then(
    (verified) => Buffer.from(verified.payload).toString(),
    (error: unknown) => {
      throw error instanceof errors.JOSEError ? createInvalidTokenProblem() : error
    },
  )
  const { passport, jti } = JSON.parse(payload) as VerifiedToken
  return { passport, jti }
}

/** Creates the one answer to forged, malformed, expired and spent tokens. */
export function createInvalidTokenProblem(): ProblemError {
  return createProblem('DPP_MAGIC_TOKEN_INVALID', 'The token is forged, malformed, expired or already used.', {
    path: 'magicToken',
  })
}

/** Checks whether a token is the passport's present one, unspent, and unexpired by the database's clock. */
export async function isUnspent(trx: Knex, { passport, jti }: VerifiedToken): Promise<boolean> {
  const row = await trx('magic_tokens')
    .where({ passport, jti })
    .whereNull('spent_by')
    .whereRaw('expires_at > now()')
    .first('jti')
  return row !== undefined
}

/** Marks the token of a locked passport as spent. */
export async function spendToken(trx: Knex, { passport, jti }: VerifiedToken, claim: string): Promise<void> {
  await trx('magic_tokens').where({ passport, jti }).update({ spent_by: claim })
}

/** Makes the token usable again that a failed claim had spent. */
export async function returnToken(trx: Knex, claim: string): Promise<void> {
  await trx('magic_tokens').where({ spent_by: claim }).update({ spent_by: null })
}
