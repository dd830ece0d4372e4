import type { Knex } from 'knex'

/** The identifiers of a transaction, and of the process of the server that does it. */
export async function readTransaction(trx: Knex): Promise<{ id: string; backend: number }> {
  const { rows } = await trx.raw<{ rows: [{ id: string; backend: number }] }>(
    'select pg_current_xact_id()::text as id, pg_backend_pid() as backend',
  )
  return rows[0]
}

/** Ends a connection of the server, whatever it does at that moment. */
export async function killBackend(db: Knex, backend: number): Promise<void> {
  await db.raw('select pg_terminate_backend(?)', [backend])
}

/** What became of a transaction that has ended. */
export async function readTransactionStatus(db: Knex, id: string): Promise<'committed' | 'aborted'> {
  for (;;) {
    const { rows } = await db.raw<{ rows: [{ status: 'committed' | 'aborted' | 'in progress' }] }>(
      'select pg_xact_status(?::xid8) as status',
      [id],
    )
    const { status } = rows[0]
    if (status !== 'in progress') return status
  }
}
