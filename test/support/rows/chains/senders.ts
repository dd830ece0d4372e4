import type { Knex } from 'knex'

/** Leaves out the next nonces of the senders, as a sender does that stored them and never signed for them. */
export async function skipNonces(db: Knex, count: number): Promise<void> {
  await db.raw('update chain_senders set next_nonce = next_nonce + ?', [count])
}

/** Retires all senders, as if none of their keys were configured any more. */
export async function retireSenders(db: Knex): Promise<void> {
  await db('chain_senders').update({ retired: true })
}
