import { startBridge, type Bridge } from './bridge.ts'
import { exitProcess } from './shared/exit.ts'
import { createLog, type Log } from './shared/log.ts'
import { readSettings, SettingsError } from './access/settings.ts'

/** The milliseconds after which a stopping process exits even if the stop is not complete. */
const stopTimeoutMs = 20_000

let log: Log = createLog('info')

function exitWithError(cause: unknown): never {
  if (cause instanceof SettingsError) {
    for (const reason of cause.reasons) log.fatal(reason)
    log.flush()
    exitProcess(1)
  }
  const error = cause instanceof Error ? cause : new Error(String(cause))
  log.fatal({ err: error }, error.message)
  log.flush()
  exitProcess(1)
}

async function startFromSettings(): Promise<Bridge> {
  const settings = readSettings()
  log = createLog(settings.logLevel)
  return await startBridge(settings, log)
}

const startedBridge = startFromSettings()
let stopping = false

function stopProcess(): void {
  if (stopping) return
  stopping = true
  setTimeout(
    () => exitWithError(new Error(`the bridge did not stop within ${stopTimeoutMs / 1000} s`)),
    stopTimeoutMs,
  ).unref()
  startedBridge.then((bridge) => bridge.stop()).then(() => exitProcess(0), exitWithError)
}

process.on('uncaughtException', exitWithError)
process.on('unhandledRejection', exitWithError)
process.on('SIGTERM', stopProcess)
process.on('SIGINT', stopProcess)
process.on('SIGHUP', () => void startedBridge.then((bridge) => bridge.refresh()))
process.on('disconnect', stopProcess)
startedBridge
  .then((bridge) => bridge.ready)
  .then(() => {
    if (process.connected && !stopping) process.send?.({ ready: true })
  }, exitWithError)
