import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exitProcess } from '../../../core/kernel/process/exit.ts'
import { runPlatform, type Platform } from '../../../core/start/platform.ts'
import { copyPreparedCluster, prepareCluster } from '../database/prepared-cluster.ts'
import { createTestEnvironment } from '../environment.ts'
import { browserMark, findChromium } from '../network/chromium.ts'
import { startDnsServer } from '../network/dns.ts'
import { createTemporaryFolder, removeFolder, removeStaleFolders } from '../folders.ts'
import { describePlatform } from '../own-platform.ts'
import { createSharedEnvironment } from '../platform.ts'
import { createWorkPlan, getLane, laneNames, type LaneName } from './lanes.ts'
import { printSlowestFiles } from './durations.ts'
import type { FileResult } from './run-files.ts'
import { checksWholeRun, listTestFiles } from './test-files.ts'
import { runWorker } from './workers.ts'

/** Characters of a failure that the end of the output repeats. */
const maxFailureLength = 2_000

const printLine = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Runs the test files with this ending, then ends the process: with code 0 if every test ran and passed. Arguments:
 * files, folders, globs; `--grep <regexp>`; `--lane unit`, `api`, `proof` or `house` for the files of one lane; `--alone` to start
 * no shared platform.
 * @param options.oneAtATime run the files that need no shared platform one after another, because they measure
 */
export async function runSuite(ending: string, { oneAtATime = false } = {}): Promise<never> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { grep: { type: 'string' }, lane: { type: 'string' }, alone: { type: 'boolean' } },
  })
  const files = selectLane(listTestFiles(ending, positionals), values.lane)
  if (files.length === 0) printLine(`No file ending in ${ending} matches ${positionals.join(' ')}`)
  const stopping = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(event, () => stopping.abort())

  await removeStaleFolders()
  const dataDir = createTemporaryFolder()
  const dns = await startDnsServer(join(dataDir, 'dns'))
  const platforms = new SharedPlatforms(() => stopping.abort())
  let results: FileResult[] | undefined
  try {
    if (!values.alone && files.some(startsPrograms)) await prepareCluster(dataDir)
    const isWhole = positionals.length === 0 && values.grep === undefined && values.lane === undefined
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      TEST_RECORD: join(dataDir, 'answers.jsonl'),
      TEST_WHOLE: isWhole ? 'yes' : '',
      ...(values.grep === undefined ? {} : { TEST_GREP: values.grep }),
      TEST_CHROMIUM: needsBrowser(files) ? ((await findChromium(printLine)) ?? '') : '',
    }
    const startPlatform = values.alone ? async () => ({}) : () => platforms.start()
    results = await runFiles(files, { env, startPlatform, signal: stopping.signal, folder: dataDir, oneAtATime })
  } catch (cause) {
    printLine(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
  }
  await platforms.stop()
  dns.stop()
  if (results) printSlowestFiles(results, printLine)
  const hasPassed = checkResults(results, stopping.signal.aborted)
  if (!hasPassed) platforms.keepLogs()
  await platforms.remove()
  await removeFolder(dataDir)
  const [passed, failed] = [sum(results, 'passed'), sum(results, 'failed')]
  printLine(`${passed} passed, ${failed} failed`)
  exitProcess(hasPassed ? 0 : 1)
}

const sum = (results: readonly FileResult[] = [], member: 'passed' | 'failed') =>
  results.reduce((total, result) => total + result[member], 0)

const startsPrograms = (file: string) => ['api', 'proof'].includes(getLane(file))

function selectLane(files: string[], lane: string | undefined): string[] {
  if (lane === undefined) return files
  if (!laneNames.includes(lane as LaneName)) throw new Error(`The lanes are ${laneNames.join(', ')}`)
  return files.filter((file) => getLane(file) === lane && !checksWholeRun(file))
}

/** The shared platforms of the lanes. */
class SharedPlatforms {
  readonly #giveUp: () => void
  readonly #folders: string[] = []
  readonly #starting: Promise<Platform>[] = []

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp
  }

  /** Starts another platform. @returns the environment through which tests find it */
  async start(): Promise<NodeJS.ProcessEnv> {
    const dataDir = createTemporaryFolder()
    this.#folders.push(dataDir)
    mkdirSync(join(dataDir, 'logs'), { recursive: true })
    await copyPreparedCluster(dataDir)
    const starting = runPlatform({
      env: createTestEnvironment({ DATA_DIR: dataDir }),
      freePorts: true,
      durable: false,
      onLine: (name, text) => appendFileSync(getLogPath(dataDir), `${name} ${text}\n`),
      warn: printLine,
      giveUp: (cause) => {
        printLine(`The platform under test gave up: ${cause.message}`)
        this.#giveUp()
      },
    })
    this.#starting.push(starting)
    return createSharedEnvironment(describePlatform(await starting))
  }

  async stop(): Promise<void> {
    for (const one of await Promise.allSettled(this.#starting)) if (one.status === 'fulfilled') await one.value.stop()
  }

  keepLogs(): void {
    for (const folder of this.#folders.filter((each) => existsSync(getLogPath(each)))) {
      const kept = join(mkdtempSync(join(tmpdir(), 'tessera-test-')), 'platform.log')
      cpSync(getLogPath(folder), kept)
      printLine(`What the platform wrote: ${kept}`)
    }
  }

  async remove(): Promise<void> {
    for (const folder of this.#folders) await removeFolder(folder)
  }
}

const getLogPath = (dataDir: string) => join(dataDir, 'logs/platform.log')

interface RunOptions {
  env: NodeJS.ProcessEnv
  /** @returns the environment through which tests find the platform */
  startPlatform: () => Promise<NodeJS.ProcessEnv>
  signal: AbortSignal
  folder: string
  oneAtATime: boolean
}

/**
 * Runs the files in several processes at once: some with a platform, and one without. Each takes the next file when it
 * has ended one, so that all end at about the same time. The output of the first is shown at once, that of the others
 * when they have ended. The files that check the whole run come last.
 */
async function runFiles(files: readonly string[], options: RunOptions): Promise<FileResult[]> {
  const { env, startPlatform, signal, folder, oneAtATime } = options
  const { onPlatform, free, wholeRun, platformCount, freeCount } = createWorkPlan(files)
  const environments = await Promise.all(Array.from({ length: platformCount }, startPlatform))
  const workers = [
    ...environments.map((shared) => ({
      env: { ...env, ...shared },
      takeFile: () => onPlatform.shift() ?? (oneAtATime ? undefined : free.shift()),
    })),
    ...Array.from({ length: oneAtATime ? Math.min(freeCount, 1) : freeCount }, () => ({
      env,
      takeFile: () => free.shift(),
    })),
  ]
  const results = await Promise.all(
    workers.map(({ env: own, takeFile }, at) =>
      runWorker(takeFile, {
        env: own,
        signal,
        ...(at === 0 ? {} : { outputFile: join(folder, `worker-${at}.log`) }),
      }),
    ),
  )
  if (wholeRun.length > 0)
    results.push(await runWorker(() => wholeRun.shift(), { env: { ...env, ...environments[0] }, signal }))
  return results.flat()
}

/**
 * Returns whether every test ran and passed. Only browser tests may be skipped, and only if there is no browser; it
 * prints that.
 */
function checkResults(results: readonly FileResult[] | undefined, interrupted: boolean): boolean {
  if (interrupted) printLine('The run was interrupted')
  if (!results) {
    printLine('The suite did not come to its end')
    return false
  }
  const skipped = results.flatMap((result) => result.skipped)
  const browser = skipped.filter((title) => title.includes(browserMark))
  const others = skipped.filter((title) => !title.includes(browserMark))
  for (const title of others) printLine(`DID NOT RUN: ${title}`)
  // Repeated at the end, because the output of the workers is long and may be kept in part only.
  for (const failure of results.flatMap((result) => result.failures))
    printLine(`FAILED: ${failure.slice(0, maxFailureLength)}`)
  if (browser.length > 0)
    printLine(`DID NOT RUN: ${browser.length} browser tests: no Chromium can be had on this machine`)
  return !interrupted && sum(results, 'failed') === 0 && others.length === 0 && sum(results, 'passed') > 0
}

const needsBrowser = (files: string[]) => files.some((file) => readFileSync(file, 'utf8').includes('/chromium.ts'))
