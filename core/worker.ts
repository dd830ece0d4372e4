import { startSenders } from './chains/senders.ts'
import { contextOf, type Built } from './context.ts'
import { settlePassports } from './features/dpp/index.ts'
import { jobs } from './jobs.ts'
import { runProcess } from './kernel/process.ts'
import { startMetrics } from './metrics.ts'
import { startWorker } from './queue/worker.ts'
import { readSettings } from './settings.ts'

/** The worker: runs jobs, sends to chains, delivers messages. In any number. */
runProcess('worker', async () => start(await contextOf(readSettings(), 'worker')))

async function start({ context, close }: Built) {
  const metrics = await startMetrics(context.settings.host, context.settings.metricsPort, [])
  const senders = startSenders(context, settlePassports(context))
  const worker = startWorker({ context, jobs })
  context.log.info('the worker works')
  return {
    stop: async () => {
      await Promise.all([worker.stop(), senders.stop()])
      await metrics.stop()
      await close()
    },
  }
}
