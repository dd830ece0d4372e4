import type { Knex } from 'knex'
import { v7 } from 'uuid'
import type { Release } from '../../database/held-writes.ts'

/** Returns everything that is kept of the requests of an organization, as one text. */
export async function readLoggedText(db: Knex, organization: string): Promise<string> {
  return JSON.stringify(await db('request_log').where({ organization }))
}

/** Counts the requests of an organization that are kept, those that no page shows any more included. */
export async function countLoggedRequests(db: Knex, organization: string): Promise<number> {
  const [row] = await db('request_log').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Inserts requests of a key that were answered at these instants, each with its own id. */
export async function insertLoggedRequests(
  db: Knex,
  { organization, key, requests }: { organization: string; key: string; requests: readonly [id: string, at: Date][] },
): Promise<void> {
  await db('request_log').insert(
    requests.map(([requestId, at]) => ({
      organization,
      id: v7({ msecs: at.getTime() }),
      at,
      operation: 'list_dpp_passports_v1',
      status: 200,
      ms: 3,
      request_id: requestId,
      kind: 'key',
      credential: key,
    })),
  )
}

/** Lets everybody wait who would write or read the log of requests. @returns the function that lets them go on */
export async function holdRequestLog(db: Knex): Promise<Release> {
  const trx = await db.transaction()
  await trx.raw('lock table request_log in access exclusive mode')
  return async () => {
    await trx.rollback()
  }
}
