import { startBridge, type Bridge } from './bridge.ts'
import { openLog, type Log } from './log.ts'
import { readSettings, SettingsError } from './settings.ts'

/** How long a stop may take before the process ends anyway, in milliseconds. */
const patience = 20_000

let log: Log = openLog('info')

function fail(cause: unknown): never {
  if (cause instanceof SettingsError) {
    for (const reason of cause.reasons) log.fatal(reason)
    log.flush()
    process.exit(1)
  }
  const error = cause instanceof Error ? cause : new Error(String(cause))
  log.fatal({ err: error }, error.message)
  log.flush()
  process.exit(1)
}

async function start(): Promise<Bridge> {
  const settings = readSettings()
  log = openLog(settings.logLevel)
  return await startBridge(settings, log)
}

const started = start()
let stopping = false

function stop(): void {
  if (stopping) return
  stopping = true
  setTimeout(() => fail(new Error(`the bridge did not stop within ${patience / 1000} s`)), patience).unref()
  started.then((bridge) => bridge.stop()).then(() => process.exit(0), fail)
}

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('SIGHUP', () => void started.then((bridge) => bridge.refresh()))
process.on('disconnect', stop)
started
  .then((bridge) => bridge.ready)
  .then(() => {
    if (process.connected && !stopping) process.send?.({ ready: true })
  }, fail)
