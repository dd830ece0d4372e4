import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { spawnTied } from '../../core/embedded/tied-process.ts'
import { root } from './targets.ts'
import type { TestResult } from './children/test-process.ts'

/** Runs of one process: each leaves a copy of its test module behind. */
const maxRuns = 200

/** Runs test files, one after the other, in a process that lives on between them. */
export class TestRunner {
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  #runs = 0

  /** @param env the environment of the process: the shared platform and the mutants */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  /** Runs a file until its first failure. A file that takes longer than the timeout has failed, like a dead process. */
  async run(file: string, timeoutMs: number): Promise<TestResult> {
    if (this.#runs >= maxRuns) this.stop()
    const child = (this.#child ??= this.#startProcess())
    const run = ++this.#runs
    const failure = await new Promise<TestResult>((resolve) => {
      const finish = (result: TestResult) => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(result)
      }
      const timer = setTimeout(() => finish({ passed: 0, failure: `${timeoutMs} ms were not enough` }), timeoutMs)
      child.on('message', (message) => {
        if (message === 'ready') child.send({ file, run })
        else finish(message as TestResult)
      })
      child.once('exit', (code, signal) =>
        finish({ passed: 0, failure: `the tests' process ended: ${signal ?? code}` }),
      )
      if (run > 1) child.send({ file, run })
    })
    if (failure.passed === 0 && failure.failure !== undefined) this.stop()
    return failure
  }

  /** Ends the process. The next run starts another one. */
  stop(): void {
    this.#child?.removeAllListeners()
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#runs = 0
  }

  #startProcess(): ChildProcess {
    const entry = join(root, 'test/mutation/children/test-process.ts')
    return spawnTied(
      [process.execPath, entry],
      { signal: 'SIGKILL' },
      { cwd: root, env: this.#env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
    )
  }
}
