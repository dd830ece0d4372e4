import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A short path for the signer's socket, since the kernel allows about 100 bytes and a data folder may lie deeper.
 * It stands in a 0700 folder of this user; another user's folder of that name is refused.
 */
export function signerSocket(dataDir: string): string {
  const path = signerSocketPath(dataDir)
  rmSync(path, { force: true })
  return path
}

/** The same, left as it is: whoever asks the signer of a running start finds it there. */
export function signerSocketPath(dataDir: string): string {
  const uid = process.getuid?.() ?? 0
  const folder = join('/tmp', `tessera-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a folder that only this user can enter; remove it or set SIGNER_SOCKET`)
  }
  return join(folder, `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`)
}
