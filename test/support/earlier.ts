import { execFileSync } from 'node:child_process'
import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })

/** The short name of a commit. */
export const shortName = (commit: string) => git('rev-parse', '--short', commit).trim()

/** Does something in a checkout of an earlier commit, which has the packages of today and is removed afterwards. */
export async function inEarlier<T>(commit: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(mkdtempSync(join(tmpdir(), 'tessera-before-')), 'tree')
  git('worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return await work(folder)
  } finally {
    git('worktree', 'remove', '--force', folder)
  }
}
