import pg from 'pg'
import type { ClusterRecord } from './postgres.cluster.ts'

export const createPostgresUrl = (role: string, password: string, port: number, database = 'tessera') =>
  `postgres://${role}:${password}@127.0.0.1:${port}/${database}`

/**
 * Creates the database and its two roles. `tessera` owns the database and everything that migrations create;
 * `tessera_signer` owns the schema `signer`, which `tessera` cannot read.
 */
export async function ensureRoles(record: ClusterRecord, port: number): Promise<void> {
  await runAsSuperuser(record, port, 'postgres', async (client) => {
    await ensureRole(client, 'tessera', record.tessera)
    await ensureRole(client, 'tessera_signer', record.signer)
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'tessera'")
    if (rowCount === 0) await client.query('CREATE DATABASE tessera OWNER tessera')
    await client.query('ALTER ROLE tessera_signer IN DATABASE tessera SET search_path = signer')
  })
  await runAsSuperuser(record, port, 'tessera', async (client) => {
    await client.query('CREATE SCHEMA IF NOT EXISTS signer AUTHORIZATION tessera_signer')
  })
}

async function ensureRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role])
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER'
  await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`)
}

export async function runAsSuperuser<T>(
  record: ClusterRecord,
  port: number,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(createPostgresUrl('postgres', record.superuser, port, database))
  // A lost connection also rejects the current query. Without a listener, the event would end the process as well.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
