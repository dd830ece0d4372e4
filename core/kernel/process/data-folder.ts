import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from './process.ts'

/**
 * Creates the folder of DATA_DIR if it is missing, and writes a test file to it, because permissions alone do not
 * reveal a read-only or full disk. @throws StartError with a sentence that names the folder and the cause
 */
export function assertWritableFolder(folder: string): void {
  tryFolderAction(folder, 'made', () => createFolder(folder))
  const probeFile = join(folder, `.trial-${process.pid}`)
  tryFolderAction(folder, 'written', () => {
    writeFileSync(probeFile, 'trial', { mode: 0o600 })
    rmSync(probeFile)
  })
}

/**
 * Creates a folder and its parents one by one, because the recursive mode of Node never ends below /proc. Other users
 * cannot list the folder. If root creates it, other users can pass through it, because the database runs in it as
 * another user; everything else in the folder has its own restrictive permissions.
 */
function createFolder(folder: string): void {
  if (!existsSync(folder)) {
    createFolder(dirname(folder))
    mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  } else if (!statSync(folder).isDirectory()) {
    throw Object.assign(new Error(`${folder} is a file`), { code: 'EEXIST' })
  }
}

const causeTexts: Record<string, string> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the share of this user is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a part of the path is a file',
  ENOENT: 'nothing can be made there',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
}

function tryFolderAction(folder: string, outcome: 'made' | 'written', action: () => void): void {
  try {
    action()
  } catch (cause) {
    const { code = 'an unknown error' } = cause as NodeJS.ErrnoException
    throw new StartError([`DATA_DIR ${folder} cannot be ${outcome}: ${causeTexts[code] ?? code}`])
  }
}
