import { hkdfSync, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { isCanonicalBase64url } from '../../kernel/base64url.ts'
import { problem, type Problem } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { Type, instant, object, string, type Static } from '../../kernel/schema.ts'
import { refuseUnclaimable } from './claims.rules.ts'
import { lockPassport } from './passports.ts'

export const MagicToken = object({
  token: string('Signed JWT. Whoever shows it may claim the passport, once.'),
  url: Type.String({ format: 'uri', description: 'Page that signs its visitor in and claims.' }),
  expiresAt: instant('When it stops to work.'),
}, { title: 'MagicToken', description: 'A single-use token to claim one passport.' })
export type MagicToken = Static<typeof MagicToken>

interface TokenRow { jti: string; issued_at: Date; expires_at: Date }

/**
 * The token of a claimable passport: the same one until it is used or expires. Only its identifier and times are
 * stored; the text is signed again from them. @throws NOT_FOUND, DPP_PASSPORT_NOT_CLAIMABLE
 */
export async function magicToken(work: Work, caller: OrganizationCaller, passport: string): Promise<MagicToken> {
  const row = await lockPassport(work, caller, passport)
  await refuseUnclaimable(work.trx, row)
  const { settings } = work.context
  const { jti, issued_at, expires_at } = await keptToken(work.trx, passport, settings.magicTokenDays)
  const payload = { jti, passport, iat: seconds(issued_at), exp: seconds(expires_at) }
  const { CompactSign } = await loadJose()
  const token = await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(signingKey(work.context))
  return { token, url: `${settings.publicUrl}/claim?token=${token}`, expiresAt: expires_at.toISOString() }
}

/**
 * Ends the token of a passport: who was given it can claim nothing with it any more, and the next one that is asked for
 * is another. A claim that was accepted goes on. Without a token nothing changes. @throws NOT_FOUND
 */
export async function revokeMagicToken(work: Work, caller: OrganizationCaller, passport: string): Promise<void> {
  await lockPassport(work, caller, passport)
  await work.trx('magic_tokens').where({ passport }).delete()
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

/** Makes a new row where there is none, or a spent or expired one. The passport has to be locked. */
async function keptToken(trx: Knex, passport: string, days: number): Promise<TokenRow> {
  await trx.raw(
    `insert into magic_tokens as kept (passport, jti, issued_at, expires_at)
     values (?, ?, date_trunc('second', now()), date_trunc('second', now()) + ? * interval '1 day')
     on conflict (passport) do update
       set jti = excluded.jti, issued_at = excluded.issued_at, expires_at = excluded.expires_at, spent_by = null
       where kept.spent_by is not null or kept.expires_at <= now()`,
    [passport, randomBytes(16).toString('base64url'), days])
  const row = await trx('magic_tokens').where({ passport }).first<TokenRow | undefined>()
  if (!row) throw new Error(`The magic token of passport ${passport} is gone`)
  return row
}

/** A key for nothing but these tokens. Source: RFC 5869. */
function signingKey({ settings: { sessionSecret } }: Context): Uint8Array {
  if (sessionSecret === undefined) throw new Error('SESSION_SECRET is not set; magic tokens need it')
  return new Uint8Array(hkdfSync('sha256', sessionSecret, '', 'tessera magic token', 32))
}

/** A token whose signature holds: which passport it is for, and its own identifier. */
export interface ShownToken { passport: string; jti: string }

/** Characters; a token of ours has a tenth of it. */
const longestToken = 4096

/** Loaded at the first token: a process starts sooner without it. */
const loadJose = () => import('jose')

/** Reads a token that somebody shows. Whether it still works: `isUnspent`. @throws DPP_MAGIC_TOKEN_INVALID */
export async function readMagicToken(context: Context, token: string): Promise<ShownToken> {
  if (token.length > longestToken || !token.split('.').every(isCanonicalBase64url)) throw invalidToken()
  const { compactVerify, errors } = await loadJose()
  const payload = await compactVerify(token, signingKey(context), { algorithms: ['HS256'] }).then(
    (verified) => Buffer.from(verified.payload).toString(),
    (error: unknown) => { throw error instanceof errors.JOSEError ? invalidToken() : error })
  const { passport, jti } = JSON.parse(payload) as ShownToken
  return { passport, jti }
}

/** The one answer to forged, malformed, expired and spent tokens. */
export function invalidToken(): Problem {
  return problem('DPP_MAGIC_TOKEN_INVALID', 'The token is forged, malformed, expired or already used.', {
    path: 'magicToken',
  })
}

/** Whether the token is the passport's present one, unspent and unexpired by the database's clock. */
export async function isUnspent(trx: Knex, { passport, jti }: ShownToken): Promise<boolean> {
  const row = await trx('magic_tokens')
    .where({ passport, jti })
    .whereNull('spent_by')
    .whereRaw('expires_at > now()')
    .first('jti')
  return row !== undefined
}

/** Spends the token of a passport that is locked. */
export async function spendToken(trx: Knex, { passport, jti }: ShownToken, claim: string): Promise<void> {
  await trx('magic_tokens').where({ passport, jti }).update({ spent_by: claim })
}

/** Gives back the token that a failed claim had spent. */
export async function returnToken(trx: Knex, claim: string): Promise<void> {
  await trx('magic_tokens').where({ spent_by: claim }).update({ spent_by: null })
}
