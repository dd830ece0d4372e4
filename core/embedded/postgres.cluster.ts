import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clusterPlace, makePlace, removePlace, type ClusterPlace } from './postgres.place.ts'
import { keptSecrets, randomHex } from './secrets.ts'
import { tied } from './tied.ts'

/** Passwords of the server's superuser and of the two roles that the product uses, and where root keeps the data. */
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

export function clusterOf(dataDir: string): Cluster {
  const record = keptSecrets<ClusterRecord>(join(dataDir, 'postgres.json'), () =>
    ({ id: randomHex(8), superuser: randomHex(24), tessera: randomHex(24), signer: randomHex(24) }))
  const place = clusterPlace(dataDir, record.id)
  return { record, dataDir, ...place, data: join(place.holder, 'cluster') }
}

/** Makes the cluster when there is none. A cluster cut short by a kill has another name and is made again. */
export async function ensureCluster(cluster: Cluster, binaries: string): Promise<void> {
  const { holder, data, as, record, dataDir } = cluster
  await makePlace(cluster, dataDir, record.id)
  if (existsSync(data)) return
  const draft = `${data}.draft`
  const passwordFile = join(holder, 'password')
  await rm(draft, { recursive: true, force: true })
  await writeFile(passwordFile, record.superuser, { mode: 0o600 })
  if (as) await chown(passwordFile, as.uid, as.gid)
  const [file, ...args] = tied([
    join(binaries, 'bin/initdb'), '--pgdata', draft, '--username', 'postgres', '--pwfile', passwordFile,
    '--auth-host', 'scram-sha-256', '--auth-local', 'reject', '--encoding', 'UTF8', '--locale', 'C',
    '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions', '--no-sync',
  ], { signal: 'SIGKILL', ...(as ? { as } : {}) })
  await run(file, args, { cwd: holder })
  await rm(passwordFile)
  await rename(draft, data)
}

/** Removes the cluster of a folder that is about to be removed itself; its server must have been stopped. */
export async function removeCluster(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres.json'))) return
  await removePlace(clusterOf(dataDir))
}
