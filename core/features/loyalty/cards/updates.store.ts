import type { Knex } from 'knex'

/** An account whose cards show something old, as a worker has taken it. */
export interface CardUpdate {
  account: string
  /** Rises when the account changes once more. */
  version: number
  attempts: number
}

/** Notes that the cards of an account may show something old. */
export async function noteUpdate(trx: Knex, account: string): Promise<void> {
  await trx.raw(
    `insert into card_updates (account) values (?)
     on conflict (account) do update set version = card_updates.version + 1, due_at = least(card_updates.due_at, now())`,
    [account],
  )
}

/**
 * Takes accounts whose phones are to be told, those due longest first, so that no other worker takes them for a while. If
 * the worker dies, they are due again.
 * @param seconds for which they are taken
 */
export async function takeUpdates(db: Knex, limit: number, seconds: number): Promise<CardUpdate[]> {
  const { rows } = await db.raw<{ rows: CardUpdate[] }>(
    `update card_updates u set attempts = u.attempts + 1, due_at = now() + ? * interval '1 second'
     from (select account from card_updates where due_at <= now() order by due_at limit ? for update skip locked) due
     where u.account = due.account
     returning u.account, u.version, u.attempts`,
    [seconds, limit],
  )
  return rows
}

/** Ends updates that are done, but for those of accounts that have changed meanwhile. */
export async function finishUpdates(db: Knex, updates: readonly CardUpdate[]): Promise<void> {
  if (updates.length === 0) return
  await db.raw(
    `delete from card_updates u using unnest(?::uuid[], ?::int[]) as done (account, version)
     where u.account = done.account and u.version = done.version`,
    [updates.map(({ account }) => account), updates.map(({ version }) => version)],
  )
}

/** Puts off an update. One whose account has changed meanwhile stays due. */
export async function postponeUpdate(db: Knex, { account, version }: CardUpdate, seconds: number): Promise<void> {
  await db.raw(`update card_updates set due_at = now() + ? * interval '1 second' where account = ? and version = ?`, [
    seconds,
    account,
    version,
  ])
}

/** Makes updates due that were noted before the clock was set back. */
export async function resetFutureUpdates(db: Knex): Promise<void> {
  await db.raw('update card_updates set due_at = now() where attempts = 0 and due_at > now()')
}
