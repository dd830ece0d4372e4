import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isRunning } from '../support/processes.ts'

const confirmTimeoutMs = 4_000
const threadTimeoutMs = 500

/** The switch of one lane: tells its processes which mutant is active, and collects which mutants they reach. */
export class MutantSwitch {
  readonly #folder: string
  readonly #codeFolder: string
  #epoch = 0

  constructor(folder: string, codeFolder: string) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#codeFolder = codeFolder
    this.#write(0, false)
  }

  /** Returns the options with which Node loads the mutants into a process and its threads. */
  getNodeOptions(): string {
    const hook = pathToFileURL(join(import.meta.dirname, 'hook.ts'))
    hook.searchParams.set('code', this.#codeFolder)
    hook.searchParams.set('switch', this.#folder)
    return `--import ${hook.href}`
  }

  /**
   * Makes a mutant active in all processes; 0 stands for the product as it is.
   * @returns the processes that did not confirm it in time, because they hang
   */
  setActive(id: number): Promise<number[]> {
    this.#write(id, false)
    return this.#waitForProcesses()
  }

  /** Runs `work` with the product as it is. @returns the mutants that any process reached meanwhile */
  async record(work: () => Promise<void>): Promise<number[]> {
    this.#write(0, true)
    const recordFile = join(this.#folder, `reached.${this.#epoch}`)
    await this.#waitForProcesses()
    await work()
    await this.setActive(0)
    const ids = existsSync(recordFile) ? readFileSync(recordFile, 'utf8').split('\n').filter(Boolean).map(Number) : []
    return [...new Set(ids)].sort((first, second) => first - second)
  }

  #write(id: number, isRecording: boolean): void {
    const draft = join(this.#folder, 'active.draft')
    writeFileSync(draft, `${++this.#epoch} ${id} ${isRecording ? 'record' : 'judge'}`)
    renameSync(draft, join(this.#folder, 'active'))
  }

  async #waitForProcesses(): Promise<number[]> {
    const start = Date.now()
    while (this.#listLate().length > 0 && Date.now() < start + confirmTimeoutMs) {
      await sleep(10)
      if (Date.now() > start + threadTimeoutMs) this.#forgetLateThreads()
    }
    return this.#listLate().map(getPid)
  }

  /** Lists the files of the running processes and threads that have not confirmed the newest change. */
  #listLate(): string[] {
    const files = readdirSync(this.#folder).filter((name) => name.startsWith('process.'))
    for (const file of files) if (!isRunning(getPid(file))) rmSync(join(this.#folder, file), { force: true })
    return files.filter(
      (file) => isRunning(getPid(file)) && readFileSync(join(this.#folder, file), 'utf8') !== `${this.#epoch}`,
    )
  }

  /** A thread may have ended without a word while its process goes on. One that lives confirms the next change. */
  #forgetLateThreads(): void {
    for (const file of this.#listLate())
      if (file.split('.').length > 2) rmSync(join(this.#folder, file), { force: true })
  }
}

const getPid = (file: string) => Number(file.split('.')[1])
