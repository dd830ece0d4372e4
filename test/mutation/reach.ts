import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mutant } from './mutants/instrument.ts'
import type { Lane } from './lane.ts'
import { listJudgeFiles, root } from './targets.ts'

/** What a test file does without a mutant. */
export interface FileReach {
  file: string
  /** Hash of the file: another text is another test. */
  hash: string
  milliseconds: number
  /** Why the file cannot judge: it fails, or it fails when it runs for the second time. */
  failure?: string
  mutants: number[]
}

const maxFileMs = 90_000
/** A test that takes longer hardly ever judges, so that its second run would tell nothing. */
const maxRepeatedMs = 10_000

/** The record of which test file reaches which mutants. */
export class ReachRecord {
  readonly #file: string
  readonly #byTest = new Map<string, FileReach>()
  readonly #mutants: ReadonlyMap<number, Mutant>
  readonly #modulesByTest = new Map<string, ReadonlySet<string>>()
  /** Mutants that the processes reach while they start. */
  readonly startup = new Set<number>()

  constructor(folder: string, mutants: readonly Mutant[]) {
    this.#file = join(folder, 'reach.jsonl')
    this.#mutants = new Map(mutants.map((mutant) => [mutant.id, mutant]))
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').filter(Boolean) : []
    for (const line of lines) this.#add(JSON.parse(line) as FileReach)
  }

  /** Lists the test files whose reach is not known yet, or that have changed. */
  listUnknown(): string[] {
    return listJudgeFiles().filter((file) => this.#byTest.get(file)?.hash !== hashFile(file))
  }

  /**
   * Lists the test files that reach a mutant and can judge it, quickest first. The files of the same room and of the same
   * area come earlier than their time says, because they are more likely to notice it. What runs while a module loads is
   * reached once in a process, by the first test that needs the module: all tests that reach anything of it can judge.
   */
  listReaching({ id, file, isStatic }: Mutant): FileReach[] {
    const runsAtLoad = isStatic || this.startup.has(id)
    const reaches = ({ file: test, mutants }: FileReach) =>
      mutants.includes(id) || (runsAtLoad && this.#modulesByTest.get(test)?.has(file) === true)
    const room = `test/${dirname(file).replace('features/', '')}/`
    const area = room.split('/').slice(0, 3).join('/')
    const getRank = (reach: FileReach) =>
      reach.milliseconds * (reach.file.startsWith(room) ? 0.1 : reach.file.startsWith(area) ? 0.5 : 1)
    return listJudgeFiles()
      .flatMap((name) => this.#byTest.get(name) ?? [])
      .filter((test) => test.failure === undefined && reaches(test))
      .sort((a, b) => getRank(a) - getRank(b))
  }

  /** Takes a test file out of this run, because it fails without a mutant. */
  exclude(file: string): void {
    const known = this.#byTest.get(file)
    if (known) this.#byTest.set(file, { ...known, failure: 'it failed without a mutant' })
  }

  /** Lists the test files that cannot judge, with the reason. */
  listUnfit(): FileReach[] {
    return [...this.#byTest.values()].filter(({ failure }) => failure !== undefined)
  }

  /** Records what the lane's processes reach while they start. */
  async recordStart(lane: Lane): Promise<void> {
    if (this.startup.size > 0) return
    const mutants = await lane.switch.record(async () => {
      await lane.restartProcesses()
    })
    this.#write({ file: '', hash: '', milliseconds: 0, mutants })
  }

  /** Runs a test file twice without a mutant: the first run shows what it reaches, the second that it can be repeated. */
  async recordFile(lane: Lane, file: string): Promise<void> {
    let failure: string | undefined
    let milliseconds = 0
    const run = async () => {
      const start = Date.now()
      failure ??= (await lane.run(file, maxFileMs)).failure
      milliseconds = Date.now() - start
    }
    const mutants = await lane.switch.record(run)
    if (milliseconds < maxRepeatedMs) await run()
    this.#write({ file, hash: hashFile(file), milliseconds, mutants, ...(failure === undefined ? {} : { failure }) })
  }

  #write(reach: FileReach): void {
    appendFileSync(this.#file, `${JSON.stringify(reach)}\n`)
    this.#add(reach)
  }

  #add(reach: FileReach): void {
    if (reach.file === '') for (const id of reach.mutants) this.startup.add(id)
    else {
      this.#byTest.set(reach.file, reach)
      this.#modulesByTest.set(reach.file, new Set(reach.mutants.map((id) => this.#mutants.get(id)?.file ?? '')))
    }
  }
}

const hashFile = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex')
