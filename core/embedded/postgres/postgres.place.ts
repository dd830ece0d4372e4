import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { lchown, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { UserIdentity } from '../tied-process.ts'

/** The folder of a cluster's data, and the user who runs its server. */
export interface ClusterPlace {
  /** Folder that holds the cluster; mode 0700, owned by the user who runs the server. */
  holder: string
  /** User who runs the server when root starts it. */
  as?: UserIdentity
}

/** Thrown when the data is in a place where it cannot be used. The message names the place and says what to do. */
export class ClusterPlaceError extends Error {
  override name = 'ClusterPlaceError'
}

/** The unprivileged user that every system has. PostgreSQL requires a user that `/etc/passwd` knows. */
const nobodyIdentity: UserIdentity = { uid: 65534, gid: 65534 }

/**
 * The folder where root keeps data if the server's user cannot enter DATA_DIR.
 * Source: Filesystem Hierarchy Standard 3.0, 5.8.
 */
const systemFolder = '/var/lib/tessera'

/**
 * Finds the place of a cluster, which is `DATA_DIR/postgres`. If root starts the server, another user runs it and may
 * not be able to enter DATA_DIR: the place is then `/var/lib/tessera/<id>`, and `DATA_DIR/postgres` is a link to it. A
 * place that was chosen once stays. This function changes nothing.
 */
export function findClusterPlace(dataDir: string, id: string): ClusterPlace {
  const own = join(dataDir, 'postgres')
  const found = lstatSync(own, { throwIfNoEntry: false })
  const holder = found?.isSymbolicLink() ? resolve(dataDir, readlinkSync(own)) : own
  if (process.getuid?.() !== 0) return { holder }
  if (found) return { holder, as: findOwner(holder) }
  return { holder: canReach(nobodyIdentity, dataDir) ? own : join(systemFolder, id), as: nobodyIdentity }
}

/**
 * Creates the place of a cluster, and moves data there that an earlier version kept in `/var/tmp`.
 * @throws ClusterPlaceError
 */
export async function createClusterPlace(place: ClusterPlace, dataDir: string, id: string): Promise<void> {
  const { holder, as } = place
  const own = join(dataDir, 'postgres')
  const isLinked = lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink() === true
  assertUsablePlace(place, dataDir, isLinked)
  const earlier = `/var/tmp/tessera-postgres-${id}`
  if (as && !existsSync(holder) && existsSync(earlier)) await moveFolder(earlier, holder)
  await mkdir(dirname(holder), { recursive: true, mode: 0o755 })
  const isNew = (await mkdir(holder, { recursive: true, mode: 0o700 })) !== undefined
  if (as && statSync(holder).uid !== as.uid) {
    // Otherwise the owner of DATA_DIR could put something of root's here and have root give it away.
    if (!isNew && statSync(dataDir).uid !== 0) {
      throw new ClusterPlaceError(
        `The database of DATA_DIR ${dataDir} lies in ${holder}, which is root's, and DATA_DIR is not: give both to one user`,
      )
    }
    await changeOwner(as, holder)
  }
  if (isInSystemFolder(holder)) await writeFile(getOwnerFile(holder), realpathSync(dataDir), { mode: 0o600 })
  if (holder !== own && !isLinked) await symlink(holder, own)
}

/**
 * Looks for data that would be lost from sight, or that the server of this start could not read or must not take.
 * @param isLinked whether `DATA_DIR/postgres` is a link to the place @throws ClusterPlaceError
 */
function assertUsablePlace({ holder, as }: ClusterPlace, dataDir: string, isLinked: boolean): void {
  const own = join(dataDir, 'postgres')
  if (isLinked && !existsSync(holder)) {
    throw new ClusterPlaceError(
      `The database of DATA_DIR ${dataDir} is not there: ${own} leads to ${holder}. Bring that folder here, restore a backup into another DATA_DIR, or remove ${own} to begin without data`,
    )
  }
  const owner = statSync(holder, { throwIfNoEntry: false })?.uid
  if (!as && owner !== undefined && owner !== process.getuid?.()) {
    throw new ClusterPlaceError(
      `The database of DATA_DIR ${dataDir} belongs to another user (${owner}): start as root or as that user, or choose another DATA_DIR`,
    )
  }
  if (as && !isLinked && owner !== undefined && !canReach(as, dataDir)) {
    throw new ClusterPlaceError(
      `The database of DATA_DIR ${dataDir} lies in it, where user ${as.uid}, who runs PostgreSQL for root, cannot enter: open that folder and those above it (chmod o+x), or choose another DATA_DIR`,
    )
  }
  if (isInSystemFolder(holder)) assertNotCopied(holder, dataDir)
}

/** Removes the place of a cluster and everything that is known about it. */
export async function removeClusterPlace({ holder }: ClusterPlace): Promise<void> {
  await rm(holder, { recursive: true, force: true })
  if (isInSystemFolder(holder)) await rm(getOwnerFile(holder), { force: true })
}

/** Checks whether this program chose the place outside of DATA_DIR. An operator may have linked to any other place. */
const isInSystemFolder = (holder: string) => dirname(holder) === systemFolder

/**
 * Returns the file that names the DATA_DIR of a cluster in the system folder. The file is beside the cluster, where the
 * server's user cannot write.
 */
const getOwnerFile = (holder: string) => `${holder}.data-dir`

/**
 * Refuses a copied DATA_DIR, because its link leads to the database of the original: a start would end the original's
 * server and continue with its data. A DATA_DIR that was moved is accepted, because its old path no longer leads here.
 * @throws ClusterPlaceError
 */
function assertNotCopied(holder: string, dataDir: string): void {
  const file = getOwnerFile(holder)
  const other = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const here = statSync(holder, { throwIfNoEntry: false })
  if (other === '' || !here || isSameInode(statSync(other, { throwIfNoEntry: false }), statSync(dataDir))) return
  if (!isSameInode(statSync(join(other, 'postgres'), { throwIfNoEntry: false }), here)) return
  throw new ClusterPlaceError(
    `The database of DATA_DIR ${dataDir} is that of ${other}, of which it is a copy: ${holder} was not copied with it. Restore a backup into another DATA_DIR, or remove ${other} if this one takes its place`,
  )
}

interface Inode {
  dev: number
  ino: number
}
const isSameInode = (one: Inode | undefined, other: Inode): boolean => one?.dev === other.dev && one.ino === other.ino

/** Finds the owner of a folder. A folder of root was copied by root, and is given back to the server's user. */
function findOwner(folder: string): UserIdentity {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? nobodyIdentity : { uid: found.uid, gid: found.gid }
}

/** Checks whether a user without groups can enter a folder and all folders above it. */
function canReach({ uid }: UserIdentity, folder: string): boolean {
  if (!existsSync(folder)) return canReach({ uid, gid: 0 }, dirname(folder))
  for (let each = realpathSync(folder); ; each = dirname(each)) {
    const { mode, uid: owner } = statSync(each)
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return false
    if (each === dirname(each)) return true
  }
}

async function moveFolder(from: string, to: string): Promise<void> {
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

async function changeOwner({ uid, gid }: UserIdentity, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid)
  }
  await lchown(folder, uid, gid)
}
