import type { Knex } from 'knex'

/** Lists the last statement on each connection of the senders to this database. */
export async function listSenderStatements(db: Knex): Promise<string[]> {
  return db('pg_stat_activity')
    .where({ application_name: 'tessera sender' })
    .whereRaw('datname = current_database()')
    .pluck<string[]>('query')
}

/** Cuts the connections of the senders to this database. */
export async function cutSenderConnections(db: Knex): Promise<void> {
  await db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera sender'
    and datname = current_database()`)
}
