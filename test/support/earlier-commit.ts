import { execFileSync } from 'node:child_process'
import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

const runGit = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })

/** Returns the short name of a commit. */
export const readShortCommit = (commit: string) => runGit('rev-parse', '--short', commit).trim()

/** Reads a file as a commit has it. */
export const readCommittedFile = (commit: string, path: string): string => runGit('show', `${commit}:${path}`)

/** Whether a commit comes before another one. */
export const isEarlierCommit = (commit: string, later: string): boolean =>
  runGit('rev-list', '--max-count=1', `${commit}..${later}`) !== ''

/** Runs `work` in a checkout of an earlier commit with today's packages. The checkout is removed afterwards. */
export async function runInEarlierCommit<T>(commit: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(mkdtempSync(join(tmpdir(), 'tessera-before-')), 'tree')
  runGit('worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return await work(folder)
  } finally {
    runGit('worktree', 'remove', '--force', folder)
  }
}
