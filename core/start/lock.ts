import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Thrown when another process uses the same data folder. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError'
}

/**
 * Claims a data folder for this process. The lock contains the process id and the start time, so that a lock left by a
 * kill is recognized even if another process has the same id by now.
 * @returns a function that releases the folder
 * @throws FolderInUseError
 */
export function lockFolder(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = join(dataDir, 'lock')
  const own = identifyProcess(process.pid)
  const draft = `${lock}.${process.pid}`
  writeFileSync(draft, own, { mode: 0o600 })
  try {
    while (!tryLink(draft, lock)) clearStaleLock(lock, dataDir)
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readContent(lock) === own) rmSync(lock, { force: true })
  }
}

/** Checks whether a living process holds the folder. */
export function isLocked(dataDir: string): boolean {
  const holder = readContent(join(dataDir, 'lock'))
  return holder !== undefined && isHeld(holder)
}

const isHeld = (holder: string) => identifyProcess(Number(holder.split(' ')[0])) === holder

/**
 * Links the lock into place. A link is created completely or not at all: one process wins, and no process reads half a
 * lock.
 */
function tryLink(draft: string, lock: string): boolean {
  try {
    linkSync(draft, lock)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  }
}

function clearStaleLock(lock: string, dataDir: string): void {
  const holder = readContent(lock)
  if (holder === undefined) return
  if (isHeld(holder)) {
    const [pid] = holder.split(' ')
    throw new FolderInUseError(
      `DATA_DIR ${dataDir} is in use by process ${pid}; stop that one or choose another DATA_DIR`,
    )
  }
  const moved = `${lock}.stale.${process.pid}`
  renameSync(lock, moved)
  // Another process may have locked the folder since `holder` was read. The moved file is then a valid lock and goes
  // back.
  if (readContent(moved) !== holder) tryLink(moved, lock)
  rmSync(moved)
}

function readContent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}

/**
 * Returns `<pid> <start>`. The start time is field 22 of /proc/<pid>/stat, counted after the name, which may contain
 * spaces.
 */
function identifyProcess(pid: number): string {
  const stat = readContent(`/proc/${pid}/stat`)
  const start = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return start === undefined ? `${pid} gone` : `${pid} ${start}`
}
