import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commonFolder } from './postgres.binaries.ts'
import { keptSecrets, randomHex } from './secrets.ts'
import { tied, type Identity } from './tied.ts'

/** Passwords of the server's superuser and of the two roles that the product uses, and where root keeps the data. */
export interface ClusterRecord {
  id: string
  superuser: string
  tessera: string
  signer: string
}

export interface Cluster {
  record: ClusterRecord
  /** Holds the cluster; 0700 and owned by who runs the server. */
  holder: string
  data: string
  /** Who runs the server when root starts it. */
  as?: Identity
}

/** The user without rights that every system has; PostgreSQL demands one that `/etc/passwd` knows. */
const nobody: Identity = { uid: 65534, gid: 65534 }

const run = promisify(execFile)

export function clusterOf(dataDir: string): Cluster {
  const record = keptSecrets<ClusterRecord>(join(dataDir, 'postgres.json'), () =>
    ({ id: randomHex(8), superuser: randomHex(24), tessera: randomHex(24), signer: randomHex(24) }))
  const root = process.getuid?.() === 0
  const holder = root ? join(commonFolder, `tessera-postgres-${record.id}`) : join(dataDir, 'postgres')
  return { record, holder, data: join(holder, 'cluster'), ...(root ? { as: nobody } : {}) }
}

/** Makes the cluster when there is none. A cluster cut short by a kill has another name and is made again. */
export async function ensureCluster(cluster: Cluster, binaries: string): Promise<void> {
  const { holder, data, as, record } = cluster
  await mkdir(holder, { recursive: true, mode: 0o700 })
  if (as) await chown(holder, as.uid, as.gid)
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
  await rm(clusterOf(dataDir).holder, { recursive: true, force: true })
}
