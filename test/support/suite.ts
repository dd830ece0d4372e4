import { appendFileSync, closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawnTied } from '../../core/embedded/tied.ts'
import { runPlatform, type Platform } from '../../core/start/platform.ts'
import { browserMark, findChromium } from './chromium.ts'
import { serveDns } from './dns.ts'
import { testEnvironment } from './environment.ts'
import { testFiles } from './files.ts'
import { lanesOf, type Lane } from './lanes.ts'
import type { Outcome } from './mocha.ts'
import { describePlatform, removeFolder, shared, sweepFolders, temporaryFolder } from './platform.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Runs the test files with this ending on a platform of their own and ends the process: code 0 when every test ran
 * and passed. Arguments: files, folders, globs; `--grep <regexp>`; `--alone` for tests that need no shared platform.
 */
export async function runSuite(ending: string): Promise<never> {
  const { values, positionals } = parseArgs({
    allowPositionals: true, options: { grep: { type: 'string' }, alone: { type: 'boolean' } },
  })
  const files = testFiles(ending, positionals)
  if (files.length === 0) say(`No file ending in ${ending} matches ${positionals.join(' ')}`)
  const stopping = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(event, () => stopping.abort())

  await sweepFolders()
  const dataDir = temporaryFolder()
  const dns = await serveDns(join(dataDir, 'dns'))
  const platforms = new SharedPlatforms(() => stopping.abort())
  let outcome: Outcome | undefined
  try {
    const lanes = lanesOf(files)
    const envs = await Promise.all(lanes.map(async ({ isShared }) => (isShared && !values.alone ? platforms.start() : {})))
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      TEST_RECORD: join(dataDir, 'answers.jsonl'),
      TEST_WHOLE: positionals.length === 0 && values.grep === undefined ? 'yes' : '',
      ...(values.grep === undefined ? {} : { TEST_GREP: values.grep }),
      TEST_CHROMIUM: needsBrowser(files) ? await findChromium(say) ?? '' : '',
    }
    const ways = lanes.map((lane, at) => ({ ...lane, env: { ...env, ...envs[at] } }))
    if (files.length > 0) outcome = await runLanes(ways, stopping.signal, dataDir)
  } catch (cause) {
    say(cause instanceof Error ? cause.stack ?? cause.message : String(cause))
  }
  await platforms.stop()
  dns.stop()
  const good = judge(outcome, stopping.signal.aborted)
  if (!good) platforms.keepLogs()
  await platforms.remove()
  await removeFolder(dataDir)
  say(`${outcome?.passed ?? 0} passed, ${outcome?.failed ?? 0} failed`)
  process.exit(good ? 0 : 1)
}

/** The platforms that tests of one lane share. */
class SharedPlatforms {
  readonly #giveUp: () => void
  readonly #folders: string[] = []
  readonly #starting: Promise<Platform>[] = []

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp
  }

  /** Starts another one. @returns how tests learn of it */
  async start(): Promise<NodeJS.ProcessEnv> {
    const dataDir = temporaryFolder()
    this.#folders.push(dataDir)
    mkdirSync(join(dataDir, 'logs'), { recursive: true })
    const starting = runPlatform({
      env: testEnvironment({ DATA_DIR: dataDir }),
      freePorts: true,
      durable: false,
      line: (name, text) => appendFileSync(logOf(dataDir), `${name} ${text}\n`),
      warn: say,
      giveUp: (cause) => {
        say(`The platform under test gave up: ${cause.message}`)
        this.#giveUp()
      },
    })
    this.#starting.push(starting)
    return shared(describePlatform(await starting))
  }

  async stop(): Promise<void> {
    for (const one of await Promise.allSettled(this.#starting)) if (one.status === 'fulfilled') await one.value.stop()
  }

  keepLogs(): void {
    for (const folder of this.#folders.filter((each) => existsSync(logOf(each)))) {
      const kept = join(mkdtempSync(join(tmpdir(), 'tessera-test-')), 'platform.log')
      cpSync(logOf(folder), kept)
      say(`What the platform wrote: ${kept}`)
    }
  }

  async remove(): Promise<void> {
    for (const folder of this.#folders) await removeFolder(folder)
  }
}

const logOf = (dataDir: string) => join(dataDir, 'logs/platform.log')

interface Way extends Lane { env: NodeJS.ProcessEnv }

/**
 * Runs beside each other, of which the first is shown while it goes on and the others when they are over. What judges the
 * whole run comes after all.
 */
async function runLanes(ways: readonly Way[], signal: AbortSignal, folder: string): Promise<Outcome | undefined> {
  const outcomes = await Promise.all(ways.map(({ files, env }, at) =>
    runMocha(files, env, signal, at === 0 ? undefined : join(folder, `lane-${at}.log`))))
  for (const { judging, env } of ways) if (judging.length > 0) outcomes.push(await runMocha(judging, env, signal))
  const whole: Outcome = { passed: 0, failed: 0, skipped: [] }
  for (const outcome of outcomes) {
    if (!outcome) return undefined
    whole.passed += outcome.passed
    whole.failed += outcome.failed
    whole.skipped.push(...outcome.skipped)
  }
  return whole
}

/** @param kept where what it prints is kept until it ends */
async function runMocha(
  files: string[], env: NodeJS.ProcessEnv, signal: AbortSignal, kept?: string,
): Promise<Outcome | undefined> {
  const entry = join(import.meta.dirname, 'mocha.ts')
  const output = kept === undefined ? 'inherit' : openSync(kept, 'a')
  const child = spawnTied([process.execPath, entry, ...files], { signal: 'SIGKILL' }, {
    env, stdio: ['ignore', output, output, 'ipc'],
  })
  let outcome: Outcome | undefined
  child.on('message', (message) => { outcome = message as Outcome })
  signal.addEventListener('abort', () => child.kill('SIGKILL'))
  if (signal.aborted) child.kill('SIGKILL')
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
  if (typeof output === 'number') closeSync(output)
  if (kept !== undefined) process.stdout.write(readFileSync(kept))
  return outcome
}

/** Whether every test ran and passed. Browser tests may stay out only where no browser can be had, which is said. */
function judge(outcome: Outcome | undefined, interrupted: boolean): boolean {
  if (interrupted) say('The run was interrupted')
  if (!outcome) {
    say('The suite did not come to its end')
    return false
  }
  const browser = outcome.skipped.filter((title) => title.includes(browserMark))
  const others = outcome.skipped.filter((title) => !title.includes(browserMark))
  for (const title of others) say(`DID NOT RUN: ${title}`)
  if (browser.length > 0) say(`DID NOT RUN: ${browser.length} browser tests: no Chromium can be had on this machine`)
  return !interrupted && outcome.failed === 0 && others.length === 0 && outcome.passed > 0
}

const needsBrowser = (files: string[]) => files.some((file) => readFileSync(file, 'utf8').includes('/chromium.ts'))
