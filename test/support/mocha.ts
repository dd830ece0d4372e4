import { readFileSync } from 'node:fs'
import Mocha from 'mocha'

/** What one run of the suite came to. */
export interface Outcome {
  passed: number
  failed: number
  /** Full titles of the tests that were skipped. */
  skipped: string[]
}

const { mocha: configured } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as
  { mocha: { timeout: number } }

/** Runs the files named on the command line in this process and tells its parent what came of it. */
async function run(): Promise<void> {
  const { timeout } = configured
  const mocha = new Mocha({ reporter: 'spec', timeout, color: process.stdout.isTTY, forbidOnly: true })
  const grep = process.env['TEST_GREP']
  if (grep) mocha.grep(new RegExp(grep))
  for (const file of process.argv.slice(2)) mocha.addFile(file)
  await mocha.loadFilesAsync().catch(tellWhy)
  const skipped: string[] = []
  const runner = mocha.run(() => {
    const { passes = 0, failures = 0 } = runner.stats ?? {}
    const outcome: Outcome = { passed: passes, failed: failures, skipped }
    process.send?.(outcome, () => process.exit(failures === 0 ? 0 : 1))
  })
  runner.on('pending', (test) => skipped.push(test.fullTitle()))
}

/** Mocha tells that it cannot require a module with its import, whatever the import failed for: that is asked again. */
async function tellWhy(cause: Error & { code?: string }): Promise<never> {
  const file = /^Required module: (.+)$/m.exec(cause.message)?.[1]
  if (cause.code === 'ERR_REQUIRE_ASYNC_MODULE' && file !== undefined) await import(file)
  throw cause
}

await run()
