import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })

/**
 * Runs today's tests against the product of an earlier commit, to see that they fail there: `npm run test:before -- <commit>
 * <test files>`. The earlier commit is checked out into a folder of its own; of today it gets the tests and the packages.
 * Ends with 0 when at least one test failed, with 1 when all passed, so a test that notices nothing is told.
 */
async function runBefore([commit, ...files]: string[]): Promise<number> {
  if (commit === undefined || files.length === 0) throw new Error('Which commit, and which test files?')
  const folder = join(mkdtempSync(join(tmpdir(), 'tessera-before-')), 'tree')
  git('worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    rmSync(join(folder, 'test'), { recursive: true })
    cpSync(join(root, 'test'), join(folder, 'test'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const failed = await countFailed(folder, files)
    process.stdout.write(failed > 0 ? `The tests fail on ${commit}, as they should\n` : `No test fails on ${commit}\n`)
    return failed > 0 ? 0 : 1
  } finally {
    git('worktree', 'remove', '--force', folder)
  }
}

/** Runs the files in the folder. @returns how many tests failed @throws when the run did not come to its end */
async function countFailed(folder: string, files: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ['test/support/run.ts', ...files], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    process.stdout.write(text)
  })
  await once(child, 'close')
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? []
  if (failed === undefined || Number(passed) + Number(failed) === 0) throw new Error('The run did not come to its end')
  return Number(failed)
}

process.exitCode = await runBefore(process.argv.slice(2))
