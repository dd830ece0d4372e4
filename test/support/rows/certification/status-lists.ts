import type { Knex } from 'knex'
import { allocateStatusPositions } from '../../../../core/features/certification/status-lists/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'

/** The issuer of a pair of lists. Under did:key each key is an issuer of its own. */
export interface ListOwner {
  organization: string
  did: string
  key: string
}

/** Takes positions for this many credentials in a transaction of its own, as a job does that certifies passports. */
export async function takeStatusPositions(
  context: Context,
  owner: ListOwner,
  count: number,
): Promise<{ pair: string; index: number }[]> {
  return context.db.transaction((trx) => allocateStatusPositions(trx, context, owner, count))
}

/** Fills a pair of lists but for one position: nobody issues 131,071 credentials first. */
export async function fillStatusLists(db: Knex, pair: string): Promise<void> {
  await db('status_lists').where({ pair }).update({ taken: 131_071 })
}

/** Sets the bit of one entry of a list of revocations, for which the test door has no route. */
export async function revokeListEntry(db: Knex, { list, index }: { list: string; index: number }): Promise<void> {
  // SQL counts bits from the lowest of each byte, a list of W3C from the highest.
  const bit = index - (index % 8) + 7 - (index % 8)
  await db('status_lists')
    .where({ id: list })
    .update({ bits: db.raw('set_bit(bits, ?, 1)', [bit]) })
}

/** Counts the status lists of an organization. */
export async function countStatusLists(db: Knex, organization: string): Promise<number> {
  const [row] = await db('status_lists').where({ organization }).count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Deletes the status lists of an organization that has no credentials in them. */
export async function deleteStatusLists(db: Knex, organization: string): Promise<void> {
  await db('status_lists').where({ organization }).delete()
}
