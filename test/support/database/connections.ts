import type { Knex } from 'knex'

/** Counts the connections of all clients to the database of the platform. */
export async function countClientConnections(db: Knex): Promise<number> {
  const [row] = await db('pg_stat_activity')
    .where({ datname: 'tessera', backend_type: 'client backend' })
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Ends the connections on which processes listen to notices, as a fault of the network does. @returns their number */
export async function endNoticeConnections(db: Knex): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera notices'`,
  )
  return rowCount
}
