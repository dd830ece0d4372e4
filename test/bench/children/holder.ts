import { once } from 'node:events'
import { job } from '../../../core/kernel/job.ts'
import { startWorker } from '../../../core/queue/worker.ts'
import { partsOf } from '../../core/queue/parts.ts'

/** A worker whose jobs never end, and which says when one begins: `holder.ts <database> <redis>`. */
const [database = '', redis = ''] = process.argv.slice(2)
const { context, notices } = partsOf(database, redis, 'warn')
await notices.ready()
const endless = job({
  type: 'mint',
  permission: 'dpp:read',
  attempts: 10,
  async run(_, { signal }) {
    process.send?.({ began: Date.now() })
    await once(signal, 'abort')
    return { status: 'waiting', seconds: 60 }
  },
})
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
startWorker({ context, jobs: [endless], types: ['mint'] })
process.send?.({ ready: true })
