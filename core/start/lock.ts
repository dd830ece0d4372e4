import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Another process lives on the same data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/**
 * Claims a data folder for this process. The holder is written as process id and start time, so that a lock left by
 * a kill is known as such also when its id belongs to somebody else by now. Returns what gives the folder back.
 */
export function lockFolder(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = join(dataDir, 'lock')
  const own = identity(process.pid)
  const draft = `${lock}.${process.pid}`
  writeFileSync(draft, own, { mode: 0o600 })
  try {
    while (!linked(draft, lock)) clearStale(lock, dataDir)
  } finally {
    rmSync(draft, { force: true })
  }
  return () => { if (content(lock) === own) rmSync(lock, { force: true }) }
}

/** Whether a living process holds the folder. */
export function isLocked(dataDir: string): boolean {
  const holder = content(join(dataDir, 'lock'))
  return holder !== undefined && isHeld(holder)
}

const isHeld = (holder: string) => identity(Number(holder.split(' ')[0])) === holder

/** A link is made as a whole or not at all, so of two processes one wins and nobody reads half a lock. */
function linked(draft: string, lock: string): boolean {
  try {
    linkSync(draft, lock)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  }
}

function clearStale(lock: string, dataDir: string): void {
  const holder = content(lock)
  if (holder === undefined) return
  if (isHeld(holder)) {
    const [pid] = holder.split(' ')
    throw new FolderInUse(`DATA_DIR ${dataDir} is in use by process ${pid}; stop that one or choose another DATA_DIR`)
  }
  const moved = `${lock}.stale.${process.pid}`
  renameSync(lock, moved)
  // Somebody quicker may have taken the folder since it was read: then what was moved is a living lock and goes back.
  if (content(moved) !== holder) linked(moved, lock)
  rmSync(moved)
}

function content(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}

/** `<pid> <start>`: field 22 of /proc/<pid>/stat, counted behind the name, which may itself hold spaces. */
function identity(pid: number): string {
  const stat = content(`/proc/${pid}/stat`)
  const start = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return start === undefined ? `${pid} gone` : `${pid} ${start}`
}
