import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { runInEarlierCommit, root } from './earlier-commit.ts'

/**
 * Runs today's tests against the product of an earlier commit, to check that they fail there: `npm run test:before --
 * <commit> <test files>`. The earlier commit is checked out into a folder of its own. It gets today's tests and
 * packages, and the modules that the tests import and that it lacks; those are printed.
 * @returns 0 if at least one test failed; 1 if all passed, so that a test that detects nothing is noticed
 */
async function runOnEarlierCommit([commit, ...files]: string[]): Promise<number> {
  if (commit === undefined || files.length === 0) throw new Error('Which commit, and which test files?')
  return runInEarlierCommit(commit, async (folder) => {
    rmSync(join(folder, 'test'), { recursive: true })
    cpSync(join(root, 'test'), join(folder, 'test'), { recursive: true })
    const missingModules = copyMissingModules(folder, files)
    if (missingModules.length > 0)
      process.stdout.write(`${commit} does not have, and gets for the tests: ${missingModules.join(', ')}\n`)
    const failed = await countFailedTests(folder, files)
    process.stdout.write(failed > 0 ? `The tests fail on ${commit}, as they should\n` : `No test fails on ${commit}\n`)
    return failed > 0 ? 0 : 1
  })
}

/**
 * Copies the product modules that the tests import and the folder lacks, with their imports.
 * @returns the copied modules
 */
function copyMissingModules(folder: string, files: readonly string[]): string[] {
  const wanted = ['test/support', ...files].map((file) => join(folder, file))
  const pendingFiles = wanted.flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]))
  const seen = new Set(pendingFiles)
  const copiedModules: string[] = []
  for (let file = pendingFiles.pop(); file !== undefined; file = pendingFiles.pop()) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+\.ts)'/g)) {
      const path = resolve(dirname(file), name)
      if (seen.has(path)) continue
      seen.add(path)
      const here = relative(folder, path)
      if (!existsSync(path) && existsSync(join(root, here))) {
        cpSync(join(root, here), path)
        copiedModules.push(here)
        pendingFiles.push(path)
      } else if (here.startsWith('test/')) pendingFiles.push(path)
    }
  }
  return copiedModules
}

/** Runs the files in the folder. @returns how many tests failed @throws if the run did not finish */
async function countFailedTests(folder: string, files: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ['test/support/run.ts', ...files], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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

process.exitCode = await runOnEarlierCommit(process.argv.slice(2))
