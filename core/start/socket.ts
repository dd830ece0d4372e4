import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Prepares a short path for the signer's socket, because the kernel allows about 100 bytes and the path of a data
 * folder may be longer. The socket is in a 0700 folder of this user; another user's folder of that name is refused.
 * Removes an existing socket.
 */
export function prepareSignerSocket(dataDir: string): string {
  const path = getSignerSocketPath(dataDir)
  rmSync(path, { force: true })
  return path
}

/** Returns the path of the signer's socket and leaves the socket in place, for callers of a signer that is running. */
export function getSignerSocketPath(dataDir: string): string {
  const uid = process.getuid?.() ?? 0
  const folder = join('/tmp', `tessera-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a folder that only this user can enter; remove it or set SIGNER_SOCKET`)
  }
  return join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`)
}
