import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { root } from './source-files.ts'

const folder = 'core/database/migrations'

/** Runs git; undefined if it fails. */
function runGit(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** Returns the last tag and the commits that this one is based on, as far as there is a repository. */
function listLandedCommits(): string[] {
  const tag = runGit('describe', '--tags', '--abbrev=0')
  const bases = ['main', 'origin/main', 'origin/HEAD'].map((branch) => runGit('merge-base', 'HEAD', branch))
  return [...new Set([tag, ...bases, runGit('rev-parse', 'HEAD')].filter((commit) => commit !== undefined))]
}

describe('Repository rules: database migrations', () => {
  it('never change after they were released', () => {
    const changed = listLandedCommits().map((commit) =>
      runGit('diff', '--name-status', '--no-renames', '--diff-filter=MDT', commit, '--', folder),
    )
    expect(changed.filter((names) => names !== '')).to.deep.equal([])
  })
})
