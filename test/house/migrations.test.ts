import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { root } from './sources.ts'

const folder = 'core/database/migrations'

/** Undefined where git does not know. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** The last tag and the commit that this one is based on, as far as there is a repository to ask. */
function landed(): string[] {
  const tag = git('describe', '--tags', '--abbrev=0')
  const bases = ['main', 'origin/main', 'origin/HEAD'].map((branch) => git('merge-base', 'HEAD', branch))
  return [...new Set([tag, ...bases, git('rev-parse', 'HEAD')].filter((commit) => commit !== undefined))]
}

describe('The house: its migrations', () => {
  it('none changes after it has landed', () => {
    const changed = landed().map((commit) =>
      git('diff', '--name-status', '--no-renames', '--diff-filter=MDT', commit, '--', folder))
    expect(changed.filter((names) => names !== '')).to.deep.equal([])
  })
})
