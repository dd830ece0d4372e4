import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { lchown, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Identity } from './tied.ts'

/** Where the data of a cluster lies and who runs its server. */
export interface ClusterPlace {
  /** Holds the cluster; 0700 and owned by who runs the server. */
  holder: string
  /** Who runs the server when root starts it. */
  as?: Identity
}

/** The data is where it cannot be used; the message says in a sentence where, and what to do. */
export class PlaceError extends Error {
  override name = 'PlaceError'
}

/** The user without rights that every system has; PostgreSQL demands one that `/etc/passwd` knows. */
const nobody: Identity = { uid: 65534, gid: 65534 }

/** Where root keeps data that the user of the server cannot reach in DATA_DIR. Source: Filesystem Hierarchy Standard 3.0, 5.8. */
const systemFolder = '/var/lib/tessera'

/**
 * Finds the place of a cluster: `DATA_DIR/postgres`. Where root starts the server, another user runs it and may not be
 * able to enter DATA_DIR: then it is `/var/lib/tessera/<id>`, and `DATA_DIR/postgres` is a link to it. A place that was
 * chosen stays. Changes nothing.
 */
export function clusterPlace(dataDir: string, id: string): ClusterPlace {
  const own = join(dataDir, 'postgres')
  const found = lstatSync(own, { throwIfNoEntry: false })
  const holder = found?.isSymbolicLink() ? resolve(dataDir, readlinkSync(own)) : own
  if (process.getuid?.() !== 0) return { holder }
  if (found) return { holder, as: ownerOf(holder) }
  return { holder: canReach(nobody, dataDir) ? own : join(systemFolder, id), as: nobody }
}

/** Makes the place of a cluster, and brings data there that an earlier version kept below `/var/tmp`. @throws PlaceError */
export async function makePlace({ holder, as }: ClusterPlace, dataDir: string, id: string): Promise<void> {
  const own = join(dataDir, 'postgres')
  const isLinked = lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLinked && !existsSync(holder)) {
    throw new PlaceError(`The database of DATA_DIR ${dataDir} is not there: ${own} leads to ${holder}. Bring that folder here, restore a backup into another DATA_DIR, or remove ${own} to begin without data`)
  }
  const owner = statSync(holder, { throwIfNoEntry: false })?.uid
  if (!as && owner !== undefined && owner !== process.getuid?.()) {
    throw new PlaceError(`The database of DATA_DIR ${dataDir} belongs to another user (${owner}): start as root or as that user, or choose another DATA_DIR`)
  }
  if (as && !isLinked && owner !== undefined && !canReach(as, dataDir)) {
    throw new PlaceError(`The database of DATA_DIR ${dataDir} lies in it, where user ${as.uid}, who runs PostgreSQL for root, cannot enter: open that folder and those above it (chmod o+x), or choose another DATA_DIR`)
  }
  if (isSystems(holder)) demandSole(holder, dataDir)
  const earlier = `/var/tmp/tessera-postgres-${id}`
  if (as && !existsSync(holder) && existsSync(earlier)) await move(earlier, holder)
  await mkdir(dirname(holder), { recursive: true, mode: 0o755 })
  const isNew = await mkdir(holder, { recursive: true, mode: 0o700 }) !== undefined
  if (as && statSync(holder).uid !== as.uid) {
    // Who owns DATA_DIR may have put there whatever they want root to give away.
    if (!isNew && statSync(dataDir).uid !== 0) {
      throw new PlaceError(`The database of DATA_DIR ${dataDir} lies in ${holder}, which is root's, and DATA_DIR is not: give both to one user`)
    }
    await giveTo(as, holder)
  }
  if (isSystems(holder)) await writeFile(ownerFile(holder), realpathSync(dataDir), { mode: 0o600 })
  if (holder !== own && !isLinked) await symlink(holder, own)
}

/** Removes the place of a cluster with all that is known of it. */
export async function removePlace({ holder }: ClusterPlace): Promise<void> {
  await rm(holder, { recursive: true, force: true })
  if (isSystems(holder)) await rm(ownerFile(holder), { force: true })
}

/** Whether we chose this place outside of DATA_DIR; an operator may have linked to any other. */
const isSystems = (holder: string) => dirname(holder) === systemFolder

/** Names the DATA_DIR that a cluster of the system folder belongs to. Beside it, where the user of the server cannot write. */
const ownerFile = (holder: string) => `${holder}.data-dir`

/**
 * Refuses a copy of a DATA_DIR, which leads to the database of the original: a start would end the server of the
 * original and go on with its data. One that was moved is no copy, as nothing leads here from where it was.
 */
function demandSole(holder: string, dataDir: string): void {
  const file = ownerFile(holder)
  const other = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const here = statSync(holder, { throwIfNoEntry: false })
  if (other === '' || !here || isSame(statSync(other, { throwIfNoEntry: false }), statSync(dataDir))) return
  if (!isSame(statSync(join(other, 'postgres'), { throwIfNoEntry: false }), here)) return
  throw new PlaceError(`The database of DATA_DIR ${dataDir} is that of ${other}, of which it is a copy: ${holder} was not copied with it. Restore a backup into another DATA_DIR, or remove ${other} if this one takes its place`)
}

interface Inode { dev: number; ino: number }
const isSame = (one: Inode | undefined, other: Inode): boolean => one?.dev === other.dev && one.ino === other.ino

/** Who owns a folder that is there. One that root owns was copied by root, and goes back to the user of the server. */
function ownerOf(folder: string): Identity {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? nobody : { uid: found.uid, gid: found.gid }
}

/** Whether a user who owns nothing here and is in no group can enter a folder and all above it. */
function canReach({ uid }: Identity, folder: string): boolean {
  if (!existsSync(folder)) return canReach({ uid, gid: 0 }, dirname(folder))
  for (let each = realpathSync(folder); ; each = dirname(each)) {
    const { mode, uid: owner } = statSync(each)
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return false
    if (each === dirname(each)) return true
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o755 })
  try {
    await rename(from, to)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') throw cause
    const draft = `${to}.draft`
    await rm(draft, { recursive: true, force: true })
    await promisify(execFile)('cp', ['--archive', from, draft])
    await rename(draft, to)
    await rm(from, { recursive: true })
  }
}

async function giveTo({ uid, gid }: Identity, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid)
  }
  await lchown(folder, uid, gid)
}
