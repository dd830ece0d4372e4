import { once } from 'node:events'
import { declareJob } from '../../../core/kernel/job.ts'
import { startWorker } from '../../../core/queue/worker.ts'
import { createQueueParts } from '../../core/queue/parts.ts'

/** A worker whose jobs never end, and which sends a message when a job begins: `holder.ts <database> <redis>`. */
const [database = '', redis = ''] = process.argv.slice(2)
const { context, notices } = createQueueParts(database, redis, 'warn')
await notices.ready()
const endless = declareJob({
  type: 'mint',
  permission: 'dpp:read',
  maxAttempts: 10,
  async run(_, { signal }) {
    process.send?.({ began: Date.now() })
    await once(signal, 'abort')
    return { status: 'waiting', delaySeconds: 60 }
  },
})
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
startWorker({ context, jobs: [endless], types: ['mint'] })
process.send?.({ ready: true })
