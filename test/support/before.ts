import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inEarlier, root } from './earlier.ts'

/**
 * Runs today's tests against the product of an earlier commit, to see that they fail there: `npm run test:before -- <commit>
 * <test files>`. The earlier commit is checked out into a folder of its own; of today it gets the tests and the packages.
 * Ends with 0 when at least one test failed, with 1 when all passed, so a test that notices nothing is told.
 */
async function runBefore([commit, ...files]: string[]): Promise<number> {
  if (commit === undefined || files.length === 0) throw new Error('Which commit, and which test files?')
  return inEarlier(commit, async (folder) => {
    rmSync(join(folder, 'test'), { recursive: true })
    cpSync(join(root, 'test'), join(folder, 'test'), { recursive: true })
    const failed = await countFailed(folder, files)
    process.stdout.write(failed > 0 ? `The tests fail on ${commit}, as they should\n` : `No test fails on ${commit}\n`)
    return failed > 0 ? 0 : 1
  })
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
