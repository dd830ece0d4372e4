import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Mocha from 'mocha'
import { root } from '../targets.ts'

/** A test file that shall be run. */
export interface TestRequest {
  file: string
  /** Number of the run in this process: a module is evaluated once for each. */
  run: number
}

/** What came of a test file. */
export interface TestResult {
  passed: number
  /** The first test or hook that failed, with its message; undefined if all passed. */
  failure?: string
}

const { suite: suiteEvents } = {
  suite: Mocha.Suite.constants as unknown as Record<
    'EVENT_FILE_PRE_REQUIRE' | 'EVENT_FILE_REQUIRE' | 'EVENT_FILE_POST_REQUIRE',
    string
  >,
}

/** Runs a file until its first failure. Mocha's own loader imports a module only once in the life of a process. */
async function runFile({ file, run }: TestRequest): Promise<TestResult> {
  const mocha = new Mocha({ reporter: class {} as never, timeout: 60_000, bail: true })
  const path = join(root, file)
  mocha.suite.emit(suiteEvents.EVENT_FILE_PRE_REQUIRE, globalThis, path, mocha)
  const module: unknown = await import(`${pathToFileURL(path).href}?run=${run}`)
  mocha.suite.emit(suiteEvents.EVENT_FILE_REQUIRE, module, path, mocha)
  mocha.suite.emit(suiteEvents.EVENT_FILE_POST_REQUIRE, globalThis, path, mocha)
  // What a module of the tests opens once in a process is closed after its first file. Here other files follow.
  Object.assign(mocha.suite, { _afterAll: [] })
  return new Promise((resolve) => {
    let failure: string | undefined
    const runner = mocha.run(() =>
      resolve({ passed: runner.stats?.passes ?? 0, ...(failure === undefined ? {} : { failure }) }),
    )
    runner.on('fail', (test, cause: Error) => {
      failure ??= `${test.fullTitle()}: ${cause.message}`.slice(0, 600)
    })
  })
}

process.on('message', (request: TestRequest) => {
  void runFile(request)
    .catch((cause: unknown): TestResult => ({ passed: 0, failure: String(cause).slice(0, 600) }))
    .then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
