import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runPlatform, type Platform } from '../../core/start/platform.ts'
import { createTestEnvironment } from '../support/environment.ts'
import { createTemporaryFolder, removeFolder } from '../support/folders.ts'
import { describePlatform } from '../support/own-platform.ts'
import { createSharedEnvironment } from '../support/platform.ts'
import type { TestResult } from './children/test-process.ts'
import { MutantSwitch } from './switch.ts'
import { TestRunner } from './test-runner.ts'

const restartedNames = ['signer', 'server', 'worker'] as const
const restartTimeoutMs = 30_000

/** A platform with a process that runs tests on it. Two lanes have nothing in common. */
export class Lane {
  readonly switch: MutantSwitch
  readonly #folder: string
  #platform: Platform | undefined
  #dataDir = ''
  #runner: TestRunner | undefined
  #hasGivenUp = false
  /** The mutant that was active when the processes started. */
  #startedWith = 0

  /** @param folder keeps the switch and the log of the lane */
  constructor(folder: string, codeFolder: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.switch = new MutantSwitch(join(folder, 'switch'), codeFolder)
  }

  /** Starts a platform of its own, without a mutant. An earlier platform of the lane is removed. */
  async start(): Promise<void> {
    await this.stop()
    await this.switch.setActive(0)
    this.#hasGivenUp = false
    this.#startedWith = 0
    this.#dataDir = createTemporaryFolder()
    const nodeOptions = { NODE_OPTIONS: this.switch.getNodeOptions() }
    this.#platform = await runPlatform({
      env: createTestEnvironment({ ...nodeOptions, DATA_DIR: this.#dataDir }),
      freePorts: true,
      durable: false,
      keeperDelays: { maxMs: 200 },
      onLine: (name, text) => appendFileSync(join(this.#folder, 'platform.log'), `${name} ${text}\n`),
      warn: () => undefined,
      giveUp: () => (this.#hasGivenUp = true),
    })
    this.#runner = new TestRunner({
      ...process.env,
      ...nodeOptions,
      ...createSharedEnvironment(describePlatform(this.#platform)),
      NODE_ENV: 'test',
      TEST_WHOLE: '',
      TEST_RECORD: join(this.#dataDir, 'answers.jsonl'),
    })
  }

  async stop(): Promise<void> {
    this.#runner?.stop()
    await this.#platform?.stop()
    this.#platform = undefined
    if (this.#dataDir !== '') await removeFolder(this.#dataDir)
    this.#dataDir = ''
  }

  /** Runs a test file until its first failure. */
  run(file: string, timeoutMs: number): Promise<TestResult> {
    if (!this.#runner) throw new Error('The lane has not been started')
    return this.#runner.run(file, timeoutMs)
  }

  /** Makes a mutant active in the running processes; 0 stands for none. Those that hang are killed and start again. */
  async switchTo(id: number): Promise<void> {
    if (this.#startedWith !== 0) await this.restart(0)
    const hanging = await this.switch.setActive(id)
    if (hanging.length > 0) await this.#killAndWait((pid) => hanging.includes(pid))
  }

  /**
   * Starts the product's processes anew with a mutant that is active from their beginning.
   * @returns false if the product does not start with it
   */
  async restart(id: number): Promise<boolean> {
    this.#startedWith = id
    const confirming = this.switch.setActive(id)
    const isReady = await this.restartProcesses()
    await confirming
    return isReady
  }

  /** Starts the product's processes and that of the tests anew. @returns whether they serve again */
  restartProcesses(): Promise<boolean> {
    this.#runner?.stop()
    return this.#killAndWait(() => true)
  }

  async #killAndWait(isKilled: (pid: number) => boolean): Promise<boolean> {
    const end = Date.now() + restartTimeoutMs
    const { children } = this.#platform ?? {}
    const killed = restartedNames.flatMap((name) => {
      const pid = children?.[name].pid
      return children && pid !== undefined && isKilled(pid) ? [{ child: children[name], pid }] : []
    })
    for (const { pid } of killed) killProcess(pid)
    const serving = Promise.all(
      killed.map(async ({ child, pid }) => {
        while (child.pid === pid && Date.now() < end) await sleep(10)
        await child.ready()
        return true
      }),
    )
    while (Date.now() < end && !this.#hasGivenUp) if (await Promise.race([serving, sleep(50)])) return true
    return false
  }

  /** Whether the platform has to be started anew, because one of its processes cannot be started any more. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}
