import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import type { Part } from '../../../core/embedded/part.ts'
import { removeCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import { startRedis } from '../../../core/embedded/redis.ts'
import { readJobs, type JobRow } from '../../../core/queue/engine/rows.ts'
import { copyPreparedCluster } from '../../support/database/prepared-cluster.ts'
import { createUnitTable } from '../../support/rows/queue/units.ts'
import { closeAfterLastFile } from '../../support/suite/closing.ts'

export interface Servers {
  database: Part
  redis: Part
  db: Knex
  stop(): Promise<void>
}

const giveUp = (cause: Error) => {
  throw cause
}

/** PostgreSQL, migrated, and Redis of their own, in a folder that `stop` removes. */
async function startServers(): Promise<Servers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tessera-queue-'))
  await copyPreparedCluster(dataDir)
  const [database, redis] = await Promise.all([
    startPostgres({ dataDir, giveUp, durable: false }),
    startRedis({
      dataDir,
      giveUp,
      warn: (message) => {
        throw new Error(message)
      },
    }),
  ])
  if (!redis) throw new Error('The tests of the queue need a Redis')
  await migrateSchema(database.url)
  const db = connectDatabase({ url: database.url, name: 'tests', maxConnections: 5 })
  await createUnitTable(db)
  return {
    database,
    redis,
    db,
    async stop() {
      await db.destroy()
      await Promise.all([database.stop(), redis.stop()])
      await removeCluster(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

let servers: Servers | undefined

closeAfterLastFile(() => servers?.stop())

/**
 * Servers for the tests of the queue, started by the first `describe` that needs them, with a table `units` where jobs
 * leave a row for each unit they do. Not the shared platform: its workers would take these jobs, and tests flush and kill.
 */
export function useServers(): () => Servers {
  before(async () => {
    servers ??= await startServers()
  })
  return () => {
    if (!servers) throw new Error('The servers run only while tests do')
    return servers
  }
}

export async function readJobRow({ db }: Pick<Servers, 'db'>, id: string): Promise<JobRow> {
  const [row] = await readJobs(db, [id])
  if (!row) throw new Error(`There is no job ${id}`)
  return row
}

export const hasJobEnded = async (servers: Servers, id: string) => (await readJobRow(servers, id)).status !== 'pending'

/** A worker in a process of its own, to be killed or stopped. */
export async function startWorkerChild({ database, redis }: Servers, { withRedis = true } = {}): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'children/worker.ts')
  const child = spawn(process.execPath, [script, database.url, ...(withRedis ? [redis.url] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

export async function stopWorkerChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
