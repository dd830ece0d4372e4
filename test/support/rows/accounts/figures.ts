import type { Knex } from 'knex'

/** Adds to the points of an account as they are kept, as only a fault of the platform could. */
export async function spoilFigures(db: Knex, id: string, by: number): Promise<void> {
  await db('accounts').where({ id }).increment('points', by)
}

/** Adds to the settled points of an account as they are kept. */
export async function spoilSettled(db: Knex, id: string, by: number): Promise<void> {
  await db('accounts').where({ id }).increment('points_settled', by)
}

/** Adds to the visits of an account as they are kept. */
export async function spoilVisits(db: Knex, id: string, by: number): Promise<void> {
  await db('accounts').where({ id }).increment('visits', by)
}
