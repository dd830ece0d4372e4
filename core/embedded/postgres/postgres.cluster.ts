import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findClusterPlace, createClusterPlace, removeClusterPlace, type ClusterPlace } from './postgres.place.ts'
import { readOrCreateSecrets, createRandomHex } from '../secrets.ts'
import { createTiedCommand } from '../tied-process.ts'

/**
 * The passwords of the server's superuser and the product's two roles, and the id of the folder where root keeps data.
 */
export interface ClusterRecord {
  id: string
  superuser: string
  tessera: string
  signer: string
}

export interface Cluster extends ClusterPlace {
  record: ClusterRecord
  dataDir: string
  data: string
}

const run = promisify(execFile)

export function readCluster(dataDir: string): Cluster {
  const record = readOrCreateSecrets<ClusterRecord>(join(dataDir, 'postgres.json'), () => ({
    id: createRandomHex(8),
    superuser: createRandomHex(24),
    tessera: createRandomHex(24),
    signer: createRandomHex(24),
  }))
  const place = findClusterPlace(dataDir, record.id)
  return { record, dataDir, ...place, data: join(place.holder, 'cluster') }
}

/**
 * Creates the cluster unless it exists. A cluster that a kill left incomplete has another name and is created again.
 */
export async function ensureCluster(cluster: Cluster, binaries: string): Promise<void> {
  const { holder, data, as, record, dataDir } = cluster
  await createClusterPlace(cluster, dataDir, record.id)
  if (existsSync(data)) return
  const draft = `${data}.draft`
  const passwordFile = join(holder, 'password')
  await rm(draft, { recursive: true, force: true })
  await writeFile(passwordFile, record.superuser, { mode: 0o600 })
  if (as) await chown(passwordFile, as.uid, as.gid)
  const [file, ...args] = createTiedCommand(
    [
      join(binaries, 'bin/initdb'),
      '--pgdata',
      draft,
      '--username',
      'postgres',
      '--pwfile',
      passwordFile,
      '--auth-host',
      'scram-sha-256',
      '--auth-local',
      'reject',
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
      '--no-instructions',
      '--no-sync',
    ],
    { signal: 'SIGKILL', ...(as ? { as } : {}) },
  )
  await run(file, args, { cwd: holder })
  await rm(passwordFile)
  await rename(draft, data)
}

/** Removes the cluster of a data folder that is about to be removed itself. The server must be stopped already. */
export async function removeCluster(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres.json'))) return
  await removeClusterPlace(readCluster(dataDir))
}
