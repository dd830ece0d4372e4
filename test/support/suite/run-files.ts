import { readFileSync } from 'node:fs'
import { config } from 'chai'
import Mocha from 'mocha'
// As the entry points of the product do: code under test finds the words that the areas contribute.
import '../../../core/app/registry.ts'
import { exitProcess } from '../../../core/kernel/process/exit.ts'
import { closeEverything } from './closing.ts'

// A failed comparison of lists shows what they hold.
config.truncateThreshold = 1_000

/** What came of one test file. */
export interface FileResult {
  file: string
  /** From its load to the end of its last hook. */
  durationMs: number
  passed: number
  failed: number
  /** The full title of each failed test or hook, with the message of its error. */
  failures: string[]
  /** The full titles of the skipped tests. */
  skipped: string[]
}

/** What the parent process asks for: a file to run, or the end if there is none. */
export interface WorkerOrder {
  file?: string | undefined
}

const { mocha: mochaSettings } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { mocha: { timeout: number } }

/** Prints the tests as they end, and what failed. The figures of each file are those of the whole run's end. */
class FileReporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    if (this.stats.failures > 0) super.epilogue()
  }
}

/** Runs one test file in this process. */
async function runFile(file: string): Promise<FileResult> {
  const start = performance.now()
  const result: FileResult = { file, durationMs: 0, passed: 0, failed: 0, failures: [], skipped: [] }
  const mocha = new Mocha({
    reporter: FileReporter,
    timeout: mochaSettings.timeout,
    color: process.stdout.isTTY,
    forbidOnly: true,
  })
  const grep = process.env['TEST_GREP']
  if (grep) mocha.grep(new RegExp(grep))
  mocha.addFile(file)
  try {
    await mocha.loadFilesAsync().catch(throwImportError)
    await new Promise<void>((resolve) => {
      const runner = mocha.run(() => resolve())
      runner.on('pass', () => result.passed++)
      runner.on('fail', (test, cause: Error) => {
        result.failed++
        result.failures.push(`${test.fullTitle()}: ${cause.stack ?? cause.message}`)
      })
      runner.on('pending', (test) => result.skipped.push(test.fullTitle()))
    })
  } catch (cause) {
    result.failed++
    result.failures.push(`${file}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  }
  return { ...result, durationMs: performance.now() - start }
}

/**
 * Throws the real cause of a failed import: Mocha only reports that it cannot require the module, so it is imported
 * again.
 */
async function throwImportError(cause: Error & { code?: string }): Promise<never> {
  const file = /^Required module: (.+)$/m.exec(cause.message)?.[1]
  if (cause.code === 'ERR_REQUIRE_ASYNC_MODULE' && file !== undefined) await import(file)
  throw cause
}

/** Runs the files that the parent process names, one after another, until it names no more. */
process.on('message', ({ file }: WorkerOrder) => {
  if (file !== undefined) void runFile(file).then((result) => process.send?.(result))
  else void closeEverything().finally(() => exitProcess(0))
})
