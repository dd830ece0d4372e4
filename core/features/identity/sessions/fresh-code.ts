import type { Knex } from 'knex'
import type { EndUserCaller } from '../../../kernel/caller.ts'
import { createProblem } from '../../../kernel/problem.ts'

/** Minutes for which the code of a buyer's session is fresh enough to give something away. */
const freshMinutes = 10

/** Checks whether the buyer signed in with a code within the last 10 minutes, by the clock of the database. */
export async function isCodeFresh(db: Knex, { session }: EndUserCaller): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `select from sessions where id = ? and code_at > now() - interval '${freshMinutes} minutes'`,
    [session],
  )
  return rows.length > 0
}

/** @throws AUTH_FRESH_CODE_REQUIRED if the buyer did not sign in with a code within the last 10 minutes */
export async function assertCodeFresh(db: Knex, caller: EndUserCaller): Promise<void> {
  if (await isCodeFresh(db, caller)) return
  throw createProblem(
    'AUTH_FRESH_CODE_REQUIRED',
    `This takes a session with a code of the last ${freshMinutes} minutes. Sign in again with a new code.`,
  )
}
