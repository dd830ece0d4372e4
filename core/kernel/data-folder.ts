import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from './process.ts'

/**
 * Makes the folder of DATA_DIR where it is missing, and tries it with a file: permissions alone do not tell of a
 * read-only or full disk. @throws StartError with a sentence that names the folder and the cause
 */
export function demandWritableFolder(folder: string): void {
  attempt(folder, 'made', () => makeFolder(folder))
  const trial = join(folder, `.trial-${process.pid}`)
  attempt(folder, 'written', () => {
    writeFileSync(trial, 'trial', { mode: 0o600 })
    rmSync(trial)
  })
}

/**
 * Makes a folder and those above it, each by itself: Node's recursive way never ends below /proc. Nobody else lists it;
 * that of root lets others through, as another user runs the database in it, and all else in it is closed by itself.
 */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) {
    makeFolder(dirname(folder))
    mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  } else if (!statSync(folder).isDirectory()) {
    throw Object.assign(new Error(`${folder} is a file`), { code: 'EEXIST' })
  }
}

const causes: Record<string, string> = {
  EACCES: 'this user may not', EPERM: 'this user may not', EROFS: 'the disk is read-only', ENOSPC: 'the disk is full',
  EDQUOT: 'the share of this user is used up', ENOTDIR: 'a part of the path is a file', EEXIST: 'a part of the path is a file',
  ENOENT: 'nothing can be made there', ELOOP: 'its links lead in a circle', ENAMETOOLONG: 'the path is too long',
}

function attempt(folder: string, done: 'made' | 'written', action: () => void): void {
  try {
    action()
  } catch (cause) {
    const { code = 'an unknown error' } = cause as NodeJS.ErrnoException
    throw new StartError([`DATA_DIR ${folder} cannot be ${done}: ${causes[code] ?? code}`])
  }
}
