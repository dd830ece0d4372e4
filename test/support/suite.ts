import { appendFileSync, closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawnTied } from '../../core/embedded/tied.ts'
import { runPlatform, type Platform } from '../../core/start/platform.ts'
import { browserMark, findChromium } from './chromium.ts'
import { serveDns } from './dns.ts'
import { testEnvironment } from './environment.ts'
import { judges, testFiles } from './files.ts'
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
  const log = join(dataDir, 'logs/platform.log')
  const dns = await serveDns(join(dataDir, 'dns'))
  let running: Platform | undefined
  let outcome: Outcome | undefined
  try {
    if (!values.alone && files.length > 0) running = await startShared(dataDir, log, () => stopping.abort())
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      TEST_RECORD: join(dataDir, 'answers.jsonl'),
      TEST_WHOLE: positionals.length === 0 && values.grep === undefined ? 'yes' : '',
      ...(running ? shared(describePlatform(running)) : {}),
      ...(values.grep === undefined ? {} : { TEST_GREP: values.grep }),
      TEST_CHROMIUM: needsBrowser(files) ? await findChromium(say) ?? '' : '',
    }
    if (files.length > 0) outcome = await runLanes(files, env, stopping.signal, dataDir)
  } catch (cause) {
    say(cause instanceof Error ? cause.stack ?? cause.message : String(cause))
  }
  await running?.stop()
  dns.stop()
  const good = judge(outcome, stopping.signal.aborted)
  if (!good && running) keepLog(log)
  await removeFolder(dataDir)
  say(`${outcome?.passed ?? 0} passed, ${outcome?.failed ?? 0} failed`)
  process.exit(good ? 0 : 1)
}

async function startShared(dataDir: string, log: string, giveUp: () => void): Promise<Platform> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const line = (name: string, text: string) => appendFileSync(log, `${name} ${text}\n`)
  return runPlatform({
    env: testEnvironment({ DATA_DIR: dataDir }),
    freePorts: true,
    durable: false,
    line,
    warn: say,
    giveUp: (cause) => {
      say(`The platform under test gave up: ${cause.message}`)
      giveUp()
    },
  })
}

/**
 * What does not use the shared platform, in lanes that take about as long as the rest: suites that have nodes, databases
 * or whole platforms of their own, or need none. They wait for those most of the time. What uses the shared platform
 * stays together, as some of it counts what all of that platform has.
 */
const ownMachines = [
  ['chains', 'core/queue'],
  [
    'faults', 'core/running', 'tools', 'access/abuse.limits', 'core/certification/did-web.verify', 'core/http/limits',
    'core/http/outages', 'core/http/verify.lane', 'core/identity/delivery', 'core/imports/suggest.model',
    'core/mint/full-contract', 'core/mint/kills', 'core/pages/dear-credentials',
  ],
].map((lane) => lane.map((name) => join('test', name)))

/**
 * Runs beside each other, so that what works on machines of its own does not keep the rest waiting; those are shown when
 * they are over. What judges the whole run comes after all.
 */
async function runLanes(
  files: string[], env: NodeJS.ProcessEnv, signal: AbortSignal, folder: string,
): Promise<Outcome | undefined> {
  const lanes = ownMachines.map((names) => files.filter((file) => names.some((name) => file.startsWith(name))))
  const judging = files.filter(judges)
  const rest = files.filter((file) => !lanes.flat().includes(file) && !judging.includes(file))
  const beside = lanes.filter((lane) => lane.length > 0)
  if (beside.length === 0 || rest.length === 0) return runMocha(files, env, signal)
  const outcomes = await Promise.all([
    runMocha(rest, env, signal),
    ...beside.map((lane, at) => runMocha(lane, env, signal, join(folder, `lane-${at}.log`))),
  ])
  if (judging.length > 0) outcomes.push(await runMocha(judging, env, signal))
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

function keepLog(log: string): void {
  const kept = join(mkdtempSync(join(tmpdir(), 'tessera-test-')), 'platform.log')
  cpSync(log, kept)
  say(`What the platform wrote: ${kept}`)
}
