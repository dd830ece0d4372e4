import { setFlagsFromString } from 'node:v8'
import type { SettleRecords } from './chains/chain.ts'
import { startSenders } from './chains/senders.ts'
import { cleaningTasks } from './cleaning.ts'
import { contextOf, type Built } from './context.ts'
import { bringChecksBack, startDomainChecks } from './features/applications/index.ts'
import { refuseChangedMigrations } from './database/migrations.ts'
import { checkDomains, settleKeys, startMoving } from './features/certification/index.ts'
import { settleAnchors, settlePassports } from './features/dpp/index.ts'
import { bringSendsBack } from './features/identity/sign-in/sends-back.ts'
import { startSchedules } from './features/imports/index.ts'
import { jobs } from './jobs.ts'
import { jobTypes } from './kernel/job.ts'
import { runProcess } from './kernel/process.ts'
import type { Context } from './kernel/work.ts'
import { startMetrics, workerFigures } from './metrics.ts'
import { startClockWatch } from './queue/clock.ts'
import { startCourier } from './queue/courier.ts'
import { startUpkeep, type UpkeepTask } from './queue/upkeep.ts'
import { startWorker } from './queue/worker.ts'
import { unsafeProductionReasons } from './settings.production.ts'
import { demand, readSettings, type Settings } from './settings.ts'
import { withoutSigning } from './settings.signing.ts'

const upkeep = (settings: Settings): readonly UpkeepTask[] => [...cleaningTasks(settings), { name: 'domains of did:web', run: checkDomains }]

/** What would last longer than it may when the clock is put back. */
const clockTasks: readonly UpkeepTask[] = [
  { name: 'sends of codes', run: ({ db }) => bringSendsBack(db) },
  { name: 'checks of domains', run: bringChecksBack },
]

/** The worker: runs jobs, sends to chains, delivers messages, keeps the tables in order. In any number. */
runProcess('worker', async () => {
  const settings = withoutSigning(readSettings(process.env, unsafeProductionReasons))
  return start(await contextOf(demand(settings, 'keyEncryptionKey'), 'worker'))
})

async function start({ context, close }: Built) {
  await refuseChangedMigrations(context.db)
  const metrics = await startMetrics(context.settings.host, context.settings.metricsPort, workerFigures(context), true)
  const running = [
    startSenders(context, { passports: settlePassports(context), records: settleRecords(context) }),
    startWorker({ context, jobs, types: jobTypes }), startCourier({ context }), startUpkeep(context, upkeep(context.settings)),
    startClockWatch(context, clockTasks),
    startSchedules(context), startMoving(context), startDomainChecks(context),
  ]
  // From now on as the engine likes: what is said to it when it is started is for the start.
  setFlagsFromString('--heap-growing-percent=0')
  context.log.info('the worker works')
  return {
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()))
      await metrics.stop()
      await close()
    },
  }
}

/** Each kind of record is told to the feature that wanted it. */
function settleRecords(context: Context): SettleRecords {
  const anchors = settleAnchors(context)
  const keys = settleKeys(context)
  return async (trx, outcomes) => {
    const roots = outcomes.filter(({ kind }) => kind === 'anchor')
    const others = outcomes.filter(({ kind }) => kind !== 'anchor')
    if (roots.length > 0) await anchors(trx, roots)
    if (others.length > 0) await keys(trx, others)
  }
}
