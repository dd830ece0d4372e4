import type { Knex } from 'knex'
import { resetFutureSends } from '../../../../core/features/identity/sign-in/future-sends.ts'

/** Returns the number of the newest send of a code, with which `ageOldestSend` begins to look. */
export async function readNewestSend(db: Knex): Promise<number> {
  const [row] = await db('code_sends').max<{ max: string | null }[]>('id')
  return Number(row?.max ?? 0)
}

/** Makes the first of five sends to one recipient after this number 61 minutes old: nobody waits for the hour. */
export async function ageOldestSend(db: Knex, after: number): Promise<void> {
  await db.raw(
    `update code_sends set at = at - interval '61 minutes' where id = (
      select min(id) from code_sends where id > ? and budget like 'recipient:%' group by budget having count(*) = 5)`,
    [after],
  )
}

/** Counts the sends that no limit counts any more. */
export async function countOldSends(db: Knex): Promise<number> {
  const [row] = await db('code_sends').whereRaw(`at < now() - interval '1 hour'`).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Forgets the sends for applications, so that only the limits of recipients, addresses and organizations count. */
export async function forgetSendsForApplications(db: Knex): Promise<void> {
  await db('code_sends').where('budget', 'like', 'application:%').delete()
}

/** Inserts a send for a limit of its own that lies an hour ahead, as one does after the clock was set back. */
export async function insertFutureSend(db: Knex, budget: string): Promise<void> {
  await db('code_sends').insert({ budget, at: db.raw(`now() + interval '1 hour'`) })
}

/** Repairs the sends after the clock was set back, as the upkeep does. */
export const repairFutureSends = (db: Knex): Promise<void> => resetFutureSends(db)

/** Reads how many milliseconds the only send for a limit lies ahead; negative for one that has been. */
export async function readSendDistance(db: Knex, budget: string): Promise<number> {
  const row = await db('code_sends').where({ budget }).first<{ at: Date } | undefined>('at')
  if (!row) throw new Error(`There is no send for ${budget}`)
  return row.at.getTime() - Date.now()
}
