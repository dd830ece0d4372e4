import { LaunchHinderedError, ProgramDiedError } from './embedded/keeper.ts'
import { ClusterPlaceError } from './embedded/postgres/postgres.place.ts'
import { exitProcess } from './kernel/process/exit.ts'
import { runProcess, StartError } from './kernel/process/process.ts'
import { formatPassportLines, prepareDemoPassport } from './start/demo.passport.ts'
import { createDemoAccess, formatDemoTable, writeDemo, type DemoAccess } from './start/demo.ts'
import { FolderInUseError } from './start/lock.ts'
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
  void showDemoPassport(demo, platform.settings.publicUrl, showing.signal)
  const stop = () => {
    showing.abort()
    printLine('Stopping: what has begun is finished first, at most 20 s a process.')
    return platform.stop().finally(() => waiting())
  }
  return { ...platform, stop }
}

/** Shows the demo passport. Nothing waits for this function or depends on it. */
async function showDemoPassport(demo: DemoAccess, publicUrl: string, signal: AbortSignal): Promise<void> {
  try {
    const shown = await prepareDemoPassport(demo, publicUrl, signal)
    if (shown) process.stdout.write(`${formatPassportLines(shown)}\n`)
  } catch (cause) {
    if (!signal.aborted)
      printLine(`The passport to look at could not be made: ${cause instanceof Error ? cause.message : String(cause)}`)
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
