import type { Knex } from 'knex'

/** Renames an application. */
export async function renameApplication(db: Knex, id: string, name: string): Promise<void> {
  await db('applications').where({ id }).update({ name })
}

/** Locks an application until the transaction ends, so that a change of it waits. */
export async function lockApplication(trx: Knex, id: string): Promise<void> {
  await trx('applications').where({ id }).forUpdate().first('id')
}
