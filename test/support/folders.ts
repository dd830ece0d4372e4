import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeCluster } from '../../core/embedded/postgres/postgres.cluster.ts'
import { isLocked } from '../../core/start/lock.ts'

const folderPrefix = 'tessera-test-'
const maxFolderAgeMs = 2 * 60 * 60 * 1000

export const createTemporaryFolder = () => mkdtempSync(join(tmpdir(), folderPrefix))

/**
 * Removes the folders that killed runs left: our own ones that nobody locks and that were not changed for two hours.
 */
export async function removeStaleFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(folderPrefix))) {
    const folder = join(tmpdir(), name)
    const found = statSync(folder, { throwIfNoEntry: false })
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue
    if (Date.now() - found.mtimeMs > maxFolderAgeMs && !isLocked(folder)) await removeFolder(folder)
  }
}

/** Removes a data folder, and the files that root keeps elsewhere for it. */
export async function removeFolder(dataDir: string): Promise<void> {
  await removeCluster(dataDir)
  rmSync(dataDir, { recursive: true, force: true })
}
