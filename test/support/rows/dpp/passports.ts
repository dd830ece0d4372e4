import type { Knex } from 'knex'

/** Hands a passport to a shop: it is read-only here from now on. */
export async function handPassportToShop(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ source: 'ecommerce' })
}

/** Takes a passport back from the shop that has it. */
export async function takePassportFromShop(db: Knex, id: string): Promise<void> {
  await db('passports').where({ id }).update({ source: 'manual' })
}

/** Locks a passport until the transaction ends, as a claim does that is being accepted. */
export async function lockPassport(trx: Knex, id: string): Promise<void> {
  await trx('passports').where({ id }).forUpdate().first('id')
}
