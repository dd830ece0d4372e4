import { LaunchHinderedError, ProgramDiedError } from './embedded/keeper.ts'
import { ClusterPlaceError } from './embedded/postgres/postgres.place.ts'
import { exitProcess } from './kernel/process/exit.ts'
import { runProcess, StartError } from './kernel/process/process.ts'
import { formatAccountLines, prepareDemoAccounts } from './start/demo.accounts.ts'
import { formatPassportLines, prepareDemoPassport } from './start/demo.passport.ts'
import { createDemoAccess, formatDemoTable, writeDemo, type DemoAccess } from './start/demo.ts'
import { FolderInUseError } from './start/lock.ts'
import type { Settings } from './app/settings.ts'
import { createHeldOutput, createWaitReporter } from './start/output.ts'
import { runPlatform, type Platform } from './start/platform.ts'

const printLine = (message: string) => process.stderr.write(`${message}\n`)

/**
 * Runs everything on this machine: PostgreSQL, Redis, anvil, signer, API, worker and bridge, with a demo organization.
 */
async function startPlatform(): Promise<Platform> {
  // This command is for a person's own machine. A process that is started without it defaults to production.
  process.env['NODE_ENV'] ||= 'development'
  const lines = await createHeldOutput(process.argv.includes('--quiet'))
  const waiting = createWaitReporter(printLine)
  const platform = await runPlatform({
    env: process.env,
    onLine: lines.line,
    warn: printLine,
    giveUp: stopAfterFailures,
    onStopping: waiting,
  }).catch((cause: unknown) => {
    lines.show()
    return exitWithReason(cause)
  })
  const demo = createDemoAccess(platform)
  const file = writeDemo(platform.settings.dataDir, demo)
  process.stdout.write(`${formatDemoTable(demo, file, platform.parts.postgres.data)}\n`)
  lines.show(platform.settings.dataDir)
  const showing = new AbortController()
  const shown = showDemo(demo, platform.settings, showing.signal)
  const stop = () => {
    showing.abort()
    printLine('Stopping: what has begun is finished first, at most 20 s a process.')
    return shown.then(() => platform.stop()).finally(() => waiting())
  }
  return { ...platform, stop }
}

/** Shows what there is to look at. Nothing depends on it; the end of the platform waits until it is given up. */
async function showDemo(demo: DemoAccess, settings: Settings, signal: AbortSignal): Promise<void> {
  await Promise.all([
    showPart('The passport to look at', signal, async () => {
      const shown = await prepareDemoPassport(demo, settings.publicUrl, signal)
      return shown && formatPassportLines(shown)
    }),
    showPart('The customers to look at', signal, async () =>
      formatAccountLines(await prepareDemoAccounts(demo, settings, signal)),
    ),
  ])
}

async function showPart(name: string, signal: AbortSignal, prepare: () => Promise<string | null>): Promise<void> {
  try {
    const lines = await prepare()
    if (lines !== null) process.stdout.write(`${lines}\n`)
  } catch (cause) {
    if (!signal.aborted)
      printLine(`${name} could not be made: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** Prints an error that people can fix themselves as a sentence, without a stack, and exits. */
function exitWithReason(cause: unknown): never {
  const isUnderstandable = [
    StartError,
    FolderInUseError,
    ClusterPlaceError,
    ProgramDiedError,
    LaunchHinderedError,
  ].some((kind) => cause instanceof kind)
  if (!isUnderstandable || !(cause instanceof Error)) throw cause
  printLine(cause.message)
  exitProcess(1)
}

function stopAfterFailures(cause: Error): void {
  printLine(`Could not be started, five times in a row: ${cause.message}`)
  process.exitCode = 1
  process.kill(process.pid, 'SIGTERM')
}

/** 90 seconds are enough for three rounds of child processes (20 s each at most) and the parts below them. */
runProcess('start', startPlatform, 90_000)
