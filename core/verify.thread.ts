import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './database/connection.ts'
import { verifyOperations } from './features/dpp/verify.operations.ts'
import { judgeServedBytes, servedTask } from './features/dpp/verify.served.ts'
import { serveApart } from './http/apart/serve.ts'
import type { Context } from './kernel/work.ts'
import { createLog } from './log.ts'
import { outboundOf } from './outbound/outbound.ts'
import type { Settings } from './settings.ts'

/** What a thread that verifies has to know: no secret is among it. */
export type VerifySettings =
  Pick<Settings, 'databaseUrl' | 'logLevel' | 'production' | 'baseUrl' | 'publicUrl' | 'outboundAllow' | 'outboundResolve'>

/** A thread of the API that verifies credentials of anyone, with a connection to the database of its own. */
function start(settings: VerifySettings): void {
  const { databaseUrl } = settings
  if (!parentPort || databaseUrl === undefined) throw new Error('This is a thread of the API')
  const log = createLog('server', settings)
  const db = connect({ url: databaseUrl, name: 'tessera-verify', max: 1, quick: true })
  const context = { settings, log, db, clock: { now: () => new Date() }, outbound: outboundOf({ settings, log }) }
  const tasks = { [servedTask]: judgeServedBytes }
  serveApart(parentPort, { operations: verifyOperations, tasks }, context as unknown as Context)
}

start(workerData as VerifySettings)
