import type { Knex } from 'knex'
import { presenceLocks } from '../../../../core/database/notices.ts'

/** Takes the lock of a process for this transaction, unless the process has it already. @returns whether it did */
export async function tryToHoldPresence(trx: Knex.Transaction, processNumber: number): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ held: boolean }] }>('select pg_try_advisory_xact_lock(?, ?) as held', [
    presenceLocks,
    processNumber,
  ])
  return rows[0].held
}

/** Ends the connection on which a process listens, as a fault of the network does. @returns how many it has */
export async function endConnectionOfProcess(db: Knex, processNumber: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = ? and objid = ? and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [presenceLocks, processNumber],
  )
  return rowCount
}

/** Waits for the lock of a process and takes it for this transaction. @returns when it has */
export async function waitForPresence(trx: Knex.Transaction, processNumber: number): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(?, ?)', [presenceLocks, processNumber])
}

/** Counts those who wait for the lock of a process. */
export async function countWaitingForPresence(db: Knex, processNumber: number): Promise<number> {
  const [row] = await db('pg_locks')
    .where({ locktype: 'advisory', classid: presenceLocks, objid: processNumber, objsubid: 2, granted: false })
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}
