import type { Knex } from 'knex'
import { invalid, problem } from '../../../kernel/problem.ts'
import { authOf, inCall, sealFor, type AuthParts, type Realm } from '../auth.ts'

/** Where a code goes: an e-mail address in small letters, or a phone number in E.164 form. */
export interface Address { channel: 'email' | 'sms'; to: string }

/** How long a code is good, in seconds. */
export const codeLifeSeconds = 600
const maxWrongGuesses = 5
/** How far the clock may have been put back since a code was made. One from further on would be good for too long. */
const clockSeconds = 30

/** Codes by which the library says that nobody can receive mail there: it is stricter than the schema of a body. */
const unmailable = new Set<unknown>(['INVALID_EMAIL'])

/** Makes six random digits by the library, which keeps nothing of them. @throws VALIDATION_FAILED for a wrong address */
export async function makeCode(parts: AuthParts, realm: Realm, { channel, to }: Address): Promise<string> {
  const { api } = await authOf(parts)
  const call: Parameters<typeof inCall>[0] = { realm, makesCode: true }
  await inCall(call, async () => {
    if (channel === 'email') await api.sendVerificationOTP({ body: { email: to, type: 'sign-in' } })
    else await api.sendPhoneNumberOTP({ body: { phoneNumber: to } })
  }).catch((error: unknown) => {
    const { body } = error as { body?: { code?: unknown } }
    if (!unmailable.has(body?.code)) throw error
    throw invalid([{ path: 'email', code: 'format', message: 'is no e-mail address' }])
  })
  if (call.code === undefined) throw new Error('The sign-in library made no code')
  return call.code
}

/** What a code is kept under: its address in its realm. A code of one realm is worth nothing in another. */
const nameOf = (parts: AuthParts, realm: Realm, { channel, to }: Address) => sealFor(parts, realm, `${channel}:${to}`)

const keepSql = `
  insert into sign_in_codes (name, code_hash, expires_at) values (:name, :hash, now() + :life * interval '1 second')
  on conflict (name) do update
    set code_hash = excluded.code_hash, expires_at = excluded.expires_at, wrong = 0, spent_at = null`

/** Keeps the hash of a code in the caller's transaction. An older code of the address is good no longer. */
export async function keepCode(
  trx: Knex, parts: AuthParts, { realm, address, code }: { realm: Realm; address: Address; code: string },
): Promise<void> {
  await trx.raw(keepSql, {
    name: nameOf(parts, realm, address), hash: sealFor(parts, realm, code), life: codeLifeSeconds,
  })
}

/** PostgreSQL judges again what another guess has changed meanwhile, so each guess sees the one before it. */
const judgeSql = `
  update sign_in_codes set
    wrong = wrong + (code_hash <> :hash)::int,
    spent_at = case when code_hash = :hash then now() end
  where name = :name and expires_at > now() and expires_at < now() + :longest * interval '1 second' and spent_at is null and wrong < :max
  returning code_hash = :hash as "isRight"`

/**
 * Judges a guess and counts it, in one statement: guesses that come together are judged one after the other, the right
 * one opens whatever else is in flight, and only the first right one. The library's own way takes the code out of its
 * table while it judges a guess and puts it back, so that the right code was refused beside a wrong one.
 * @throws AUTH_INVALID_OTP when the code is wrong, used, expired or was guessed at too often
 */
export async function judgeCode(parts: AuthParts, realm: Realm, address: Address, code: string): Promise<void> {
  const { rows } = await parts.db.raw<{ rows: { isRight: boolean }[] }>(judgeSql, {
    name: nameOf(parts, realm, address), hash: sealFor(parts, realm, code), max: maxWrongGuesses, longest: codeLifeSeconds + clockSeconds,
  })
  if (rows[0]?.isRight !== true) throw problem('AUTH_INVALID_OTP', 'The code is wrong, used or expired.')
}

/** Deletes what is good for nothing any more. Rows that another send deletes at this moment are left to it. */
export async function forgetCodes(db: Knex): Promise<void> {
  await db.raw(`delete from sign_in_codes where name in (
    select name from sign_in_codes where expires_at < now() order by expires_at limit 100 for update skip locked)`)
}
