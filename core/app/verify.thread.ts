import { parentPort, workerData } from 'node:worker_threads'
import { connectDatabase } from '../database/connection.ts'
import { servedTask, verifyOperations, verifyServedBytes } from '../features/dpp/public/index.ts'
import { serveThreadRequests } from '../http/apart/thread-server.ts'
import type { Context } from '../kernel/work.ts'
import { createLog } from './log.ts'
import { createOutbound } from '../outbound/outbound.ts'
import type { Settings } from './settings.ts'

/** The settings of a thread that verifies credentials. They contain no secret. */
export type VerifySettings = Pick<
  Settings,
  'databaseUrl' | 'logLevel' | 'production' | 'baseUrl' | 'publicUrl' | 'outboundAllow' | 'outboundResolve'
>

/** Starts a thread of the API that verifies credentials from anybody, with one separate database connection. */
function startThread(settings: VerifySettings): void {
  const { databaseUrl } = settings
  if (!parentPort || databaseUrl === undefined) throw new Error('This is a thread of the API')
  const log = createLog('server', settings)
  const db = connectDatabase({ url: databaseUrl, name: 'tessera-verify', maxConnections: 1, hasShortTimeouts: true })
  const context = { settings, log, db, clock: { now: () => new Date() }, outbound: createOutbound({ settings, log }) }
  const tasks = { [servedTask]: verifyServedBytes }
  serveThreadRequests(parentPort, { operations: verifyOperations, tasks }, context as unknown as Context)
}

startThread(workerData as VerifySettings)
