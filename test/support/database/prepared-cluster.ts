import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { readCluster } from '../../../core/embedded/postgres/postgres.cluster.ts'
import { createClusterPlace } from '../../../core/embedded/postgres/postgres.place.ts'
import { startPostgres } from '../../../core/embedded/postgres/postgres.ts'
import { createRandomHex } from '../../../core/embedded/secrets.ts'

/** The environment variable that names the folder of the prepared cluster to the processes of a run. */
const preparedVariable = 'TEST_PREPARED_CLUSTER'

/**
 * Creates a cluster in this folder, with the roles and the newest schema, stops its server, and names it to this process
 * and its children. A run does this once: its platforms begin with copies, because creating a cluster and applying all
 * migrations takes longer than copying what came of it.
 */
export async function prepareCluster(dataDir: string): Promise<void> {
  const server = await startPostgres({
    dataDir,
    durable: false,
    giveUp: (cause) => {
      throw cause
    },
  })
  try {
    await migrateSchema(server.url)
  } finally {
    await server.stop()
  }
  process.env[preparedVariable] = dataDir
}

/**
 * Copies the run's prepared cluster into a data folder that has none, with passwords and all. Without a prepared cluster,
 * and in a folder that already has one, nothing happens: the start then does what there is to do.
 */
export async function copyPreparedCluster(dataDir: string): Promise<void> {
  const prepared = process.env[preparedVariable]
  if (prepared === undefined || existsSync(join(dataDir, 'postgres.json'))) return
  const from = readCluster(prepared)
  const record = { ...from.record, id: createRandomHex(8) }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, 'postgres.json'), JSON.stringify(record), { mode: 0o600 })
  const to = readCluster(dataDir)
  await createClusterPlace(to, dataDir, record.id)
  await promisify(execFile)('cp', ['--archive', '--reflink=auto', from.data, to.data])
}
