import type { Knex } from 'knex'
import { createValidationProblem, createProblem } from '../../../kernel/problem.ts'
import { getAuth, runInCall, hashForRealm, type AuthContext, type Realm } from '../auth.ts'

/** The recipient of a code: an e-mail address in small letters, or a phone number in E.164 form. */
export interface CodeRecipient {
  channel: 'email' | 'sms'
  to: string
}

/** How long a code is valid, in seconds. */
export const codeLifetimeSeconds = 600
const maxWrongGuesses = 5
/**
 * Largest setback of the clock, in seconds, after which a code is still accepted. After a larger one the code would be
 * valid for too long.
 */
const maxClockSetbackSeconds = 30

/** Error codes by which the library rejects an e-mail address: the library is stricter than the schema of a body. */
const unmailableCodes = new Set<unknown>(['INVALID_EMAIL'])

/**
 * Creates six random digits with the library, which does not store them.
 * @throws VALIDATION_FAILED for a wrong address
 */
export async function createCode(parts: AuthContext, { channel, to }: CodeRecipient): Promise<string> {
  const { api } = await getAuth(parts)
  const call: Parameters<typeof runInCall>[0] = {}
  await runInCall(call, async () => {
    if (channel === 'email') await api.sendVerificationOTP({ body: { email: to, type: 'sign-in' } })
    else await api.sendPhoneNumberOTP({ body: { phoneNumber: to } })
  }).catch((error: unknown) => {
    const { body } = error as { body?: { code?: unknown } }
    if (!unmailableCodes.has(body?.code)) throw error
    throw createValidationProblem([{ path: 'email', code: 'format', message: 'is no e-mail address' }])
  })
  if (call.code === undefined) throw new Error('The sign-in library made no code')
  return call.code
}

/**
 * Returns the name under which a code is stored: its address within its realm. A code of one realm is not valid in
 * another.
 */
const createCodeName = (parts: AuthContext, realm: Realm, { channel, to }: CodeRecipient) =>
  hashForRealm(parts, realm, `${channel}:${to}`)

const insertCodeSql = `
  insert into sign_in_codes (name, code_hash, expires_at) values (:name, :hash, now() + :life * interval '1 second')
  on conflict (name) do update
    set code_hash = excluded.code_hash, expires_at = excluded.expires_at, wrong = 0, spent_at = null`

/** Stores the hash of a code in the caller's transaction. An older code for the address becomes invalid. */
export async function insertCode(
  trx: Knex,
  parts: AuthContext,
  { realm, address, code }: { realm: Realm; address: CodeRecipient; code: string },
): Promise<void> {
  await trx.raw(insertCodeSql, {
    name: createCodeName(parts, realm, address),
    hash: hashForRealm(parts, realm, code),
    life: codeLifetimeSeconds,
  })
}

/**
 * Verifies and counts one guess. PostgreSQL evaluates the conditions again if a concurrent guess has changed the row,
 * so each guess sees the one before it.
 */
const verifyCodeSql = `
  update sign_in_codes set
    wrong = wrong + (code_hash <> :hash)::int,
    spent_at = case when code_hash = :hash then now() end
  where name = :name and expires_at > now() and expires_at < now() + :maxSeconds * interval '1 second' and spent_at is null and wrong < :max
  returning code_hash = :hash as "isRight"`

/**
 * Verifies a guess and counts it, in one statement. Concurrent guesses are verified one after the other; the first
 * right guess succeeds whatever else is in flight, and no later guess does. The library is not used here: it removes
 * the code from its table while it verifies a guess and then restores it, so it refused the right code beside a wrong
 * one.
 * @throws AUTH_INVALID_OTP if the code is wrong, used, expired or was guessed at too often
 */
export async function verifyOneTimeCode(
  parts: AuthContext,
  realm: Realm,
  address: CodeRecipient,
  code: string,
): Promise<void> {
  const { rows } = await parts.db.raw<{ rows: { isRight: boolean }[] }>(verifyCodeSql, {
    name: createCodeName(parts, realm, address),
    hash: hashForRealm(parts, realm, code),
    max: maxWrongGuesses,
    maxSeconds: codeLifetimeSeconds + maxClockSetbackSeconds,
  })
  if (rows[0]?.isRight !== true) throw createProblem('AUTH_INVALID_OTP', 'The code is wrong, used or expired.')
}

/**
 * Makes a code valid again that was used for nothing, because a part of the platform was away. Its wrong guesses stay
 * counted, and it expires when it would have.
 */
export async function restoreOneTimeCode(
  parts: AuthContext,
  realm: Realm,
  address: CodeRecipient,
  code: string,
): Promise<void> {
  await parts.db.raw(
    'update sign_in_codes set spent_at = null where name = :name and code_hash = :hash and spent_at is not null',
    { name: createCodeName(parts, realm, address), hash: hashForRealm(parts, realm, code) },
  )
}

/**
 * Notes that something that works once was used, for as long as a code lives. Of concurrent uses one is the first.
 * @param name says what was used, within its realm
 * @returns whether this was its first use
 */
export async function markUsed(parts: AuthContext, realm: Realm, name: string): Promise<boolean> {
  const { rows } = await parts.db.raw<{ rows: unknown[] }>(
    `insert into sign_in_codes (name, code_hash, expires_at, spent_at)
     values (:name, :name, now() + :life * interval '1 second', now()) on conflict (name) do nothing returning name`,
    { name: hashForRealm(parts, realm, `used:${name}`), life: codeLifetimeSeconds },
  )
  return rows.length > 0
}

/** Deletes expired codes. Skips rows that another send is deleting at the same time. */
export async function deleteExpiredCodes(db: Knex): Promise<void> {
  await db.raw(`delete from sign_in_codes where name in (
    select name from sign_in_codes where expires_at < now() order by expires_at limit 100 for update skip locked)`)
}
