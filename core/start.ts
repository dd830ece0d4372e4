import { LaunchHinderedError, ProgramDied } from './embedded/keeper.ts'
import { PlaceError } from './embedded/postgres.place.ts'
import { runProcess, StartError } from './kernel/process.ts'
import { passportLines, showPassport } from './start/demo.passport.ts'
import { demoOf, table, writeDemo, type Demo } from './start/demo.ts'
import { FolderInUse } from './start/lock.ts'
import { heldLines, sayWaiting } from './start/output.ts'
import { runPlatform, type Platform } from './start/platform.ts'

const say = (message: string) => process.stderr.write(`${message}\n`)

/** Everything on this machine: PostgreSQL, Redis, anvil, signer, API, worker and bridge, with a demo organization. */
async function start(): Promise<Platform> {
  // This command is for a person's own machine; a process that is started by itself is production unless it is told.
  process.env['NODE_ENV'] ||= 'development'
  const lines = await heldLines(process.argv.includes('--quiet'))
  const waiting = sayWaiting(say)
  const platform = await runPlatform({ env: process.env, line: lines.line, warn: say, giveUp, stopping: waiting })
    .catch((cause: unknown) => {
      lines.show()
      return explain(cause)
    })
  const demo = demoOf(platform)
  const file = writeDemo(platform.settings.dataDir, demo)
  process.stdout.write(`${table(demo, file, platform.parts.postgres.data)}\n`)
  lines.show(platform.settings.dataDir)
  const showing = new AbortController()
  void show(demo, platform.settings.publicUrl, showing.signal)
  const stop = () => {
    showing.abort()
    say('Stopping: what has begun is finished first, at most 20 s a process.')
    return platform.stop().finally(() => waiting())
  }
  return { ...platform, stop }
}

/** Nobody waits for it, and nothing else depends on it. */
async function show(demo: Demo, publicUrl: string, signal: AbortSignal): Promise<void> {
  try {
    const shown = await showPassport(demo, publicUrl, signal)
    if (shown) process.stdout.write(`${passportLines(shown)}\n`)
  } catch (cause) {
    if (!signal.aborted) say(`The passport to look at could not be made: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** What people can put right themselves is said in a sentence, without a stack. */
function explain(cause: unknown): never {
  const isSentence = [StartError, FolderInUse, PlaceError, ProgramDied, LaunchHinderedError].some((kind) => cause instanceof kind)
  if (!isSentence || !(cause instanceof Error)) throw cause
  say(cause.message)
  process.exit(1)
}

function giveUp(cause: Error): void {
  say(`Could not be started, five times in a row: ${cause.message}`)
  process.exitCode = 1
  process.kill(process.pid, 'SIGTERM')
}

/** Milliseconds for three rounds of children (20 s each at most) and the parts below them. */
runProcess('start', start, 90_000)
