import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { inEarlier, root } from './earlier.ts'

/**
 * Runs today's tests against the product of an earlier commit, to see that they fail there: `npm run test:before -- <commit>
 * <test files>`. The earlier commit is checked out into a folder of its own; of today it gets the tests, the packages, and
 * modules that the tests import and it does not have, which are told. Ends with 0 when at least one test failed, with 1 when all passed, so a test that notices nothing is told.
 */
async function runBefore([commit, ...files]: string[]): Promise<number> {
  if (commit === undefined || files.length === 0) throw new Error('Which commit, and which test files?')
  return inEarlier(commit, async (folder) => {
    rmSync(join(folder, 'test'), { recursive: true })
    cpSync(join(root, 'test'), join(folder, 'test'), { recursive: true })
    const lent = lendModules(folder, files)
    if (lent.length > 0) process.stdout.write(`${commit} does not have, and gets for the tests: ${lent.join(', ')}\n`)
    const failed = await countFailed(folder, files)
    process.stdout.write(failed > 0 ? `The tests fail on ${commit}, as they should\n` : `No test fails on ${commit}\n`)
    return failed > 0 ? 0 : 1
  })
}

/** Copies the modules of the product that tests import and that are not in the folder, with what those import. */
function lendModules(folder: string, files: readonly string[]): string[] {
  const wanted = ['test/support', ...files].map((file) => join(folder, file))
  const open = wanted.flatMap((path) => (statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]))
  const seen = new Set(open)
  const lent: string[] = []
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+\.ts)'/g)) {
      const path = resolve(dirname(file), name)
      if (seen.has(path)) continue
      seen.add(path)
      const here = relative(folder, path)
      if (!existsSync(path) && existsSync(join(root, here))) {
        cpSync(join(root, here), path)
        lent.push(here)
        open.push(path)
      } else if (here.startsWith('test/')) open.push(path)
    }
  }
  return lent
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
