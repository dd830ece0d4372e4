import { once } from 'node:events'
import { startWorker } from '../../../../core/queue/worker.ts'
import { blockingJob, createQueueParts, unitsJob } from '../parts.ts'

/**
 * A worker in a process of its own: `worker.ts <database> [<redis>]`. Says `ready` and stops at SIGTERM. Its jobs of
 * type `claim` never give the event loop back.
 */
const [database = '', redis] = process.argv.slice(2)
const parts = createQueueParts(database, redis)
await parts.notices.ready()
const worker = startWorker({ context: parts.context, jobs: [unitsJob, blockingJob], watchdogSeconds: 2 })
process.stdout.write('ready\n')
await once(process, 'SIGTERM')
await worker.stop()
await parts.close()
