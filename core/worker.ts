import { setFlagsFromString } from 'node:v8'
import { startSenders } from './chains/engine/senders.ts'
import { createCleaningTasks } from './app/cleaning.ts'
import { createContext, type ContextHandle } from './app/context.ts'
import { assertMigrationsUnchanged } from './database/migrations.ts'
import { registry } from './app/registry.ts'
import { jobTypes } from './kernel/words.ts'
import { runProcess } from './kernel/process/process.ts'
import { startMetrics, createWorkerGauges } from './app/metrics.ts'
import { startClockWatch } from './queue/upkeep/clock-watch.ts'
import { startCourier } from './queue/messages/courier.ts'
import { startUpkeep } from './queue/upkeep/upkeep.ts'
import { startWorker } from './queue/worker.ts'
import { listUnsafeProductionReasons } from './app/settings.production.ts'
import { assertSettings, readSettings } from './app/settings.ts'
import { withoutSigningSettings } from './app/settings.signing.ts'

/**
 * Starts the worker: it runs jobs, sends to chains, delivers messages and cleans up tables. Any number of workers can
 * run.
 */
runProcess('worker', async () => {
  const settings = withoutSigningSettings(readSettings(process.env, listUnsafeProductionReasons))
  return startProcess(await createContext(assertSettings(settings, 'keyEncryptionKey'), 'worker'))
})

async function startProcess({ context, close }: ContextHandle) {
  await assertMigrationsUnchanged(context.db)
  const metrics = await startMetrics(
    context.settings.host,
    context.settings.metricsPort,
    createWorkerGauges(context),
    true,
  )
  const services = [
    startSenders(context, registry.createOutcomeHandlers(context)),
    startWorker({ context, jobs: registry.jobs, types: jobTypes }),
    startCourier({ context }),
    startUpkeep(context, [...createCleaningTasks(context.settings), ...registry.upkeep]),
    startClockWatch(context, registry.clockRepairs),
    ...registry.startServices(context),
  ]
  // Restores V8's own heap growing; the flag that is set when the process starts is only for the start.
  setFlagsFromString('--heap-growing-percent=0')
  context.log.info('the worker works')
  return {
    stop: async () => {
      await Promise.all(services.map((one) => one.stop()))
      await metrics.stop()
      await close()
    },
  }
}
