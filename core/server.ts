import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { contextOf, type Built } from './context.ts'
import { refuseChangedMigrations } from './database/migrations.ts'
import { allowsOrigin, isProvenHost } from './features/applications/index.ts'
import { doorOf } from './features/certification/index.ts'
import { verifyCredential } from './features/dpp/index.ts'
import { createApp } from './http/app.ts'
import { ApartThreads } from './http/apart/threads.ts'
import { limitsOf, type Limits } from './http/limit.ts'
import { serve, type Served } from './http/serve.ts'
import { createVcApi } from './http/vc-api.ts'
import { runProcess } from './kernel/process.ts'
import type { Context } from './kernel/work.ts'
import { serverFigures, startMetrics } from './metrics.ts'
import { Health } from './health.ts'
import { operations } from './operations.ts'
import { unsafeProductionReasons } from './settings.production.ts'
import { demand, readSettings } from './settings.ts'
import { withoutSigning } from './settings.signing.ts'
import type { VerifySettings } from './verify.thread.ts'

const documentFile = new URL('../openapi.json', import.meta.url)

/** The API: stateless, in any number behind a balancer. */
runProcess('server', async () => {
  const settings = demand(withoutSigning(readSettings(process.env, unsafeProductionReasons)), 'keyEncryptionKey')
  const built = await contextOf(settings, 'server')
  const [limits] = await Promise.all([limitsOf({
    redisUrl: settings.redisUrl, perKey: settings.rateLimitKeyPerMinute, perAddress: settings.rateLimitAddressPerMinute, log: built.context.log,
  }), refuseChangedMigrations(built.context.db)])
  return start(built, limits, await readFile(documentFile, 'utf8'))
})

async function start({ context: parts, close }: Built, limits: Limits, document: string) {
  const apart = verifyThreads(parts)
  const context: Context = { ...parts, apart }
  const { settings } = context
  const metrics = await startMetrics(settings.host, settings.metricsPort, serverFigures(context))
  const health = new Health(context, limits)
  const app = createApp(context, {
    operations, apart, limits, system: { document, health: () => health.report() }, allowsOrigin: allowsOrigin(context),
    isProvenHost: isProvenHost(context),
    answered: metrics.answered,
  })
  const web = await serve(app, settings.port, settings.host, settings.baseUrl)
  const door = await openDoor(context)
  context.log.info({ address: settings.baseUrl }, 'the API answers')
  // Sooner than anybody needs them, but not before the first answer. A schema that does not compile ends the process.
  void app.prepare()
  return {
    stop: async () => {
      await Promise.all([web.stop(), door?.stop()])
      await apart.close()
      await metrics.stop()
      await limits.close()
      await health.close()
      await close()
    },
  }
}

/**
 * Verifications at a time and those that wait: of all, and of one organization or address. One of them keeps at most half
 * of the processors busy, and there is always a place for another one.
 */
const verifications = {
  maxRunning: Math.max(2, availableParallelism()), maxRunningOfOwner: Math.max(1, availableParallelism() >> 1),
  maxWaiting: 100, maxWaitingOfOwner: 10,
}

/** Threads that verify for strangers; none is told a secret that signs or opens. */
function verifyThreads({ settings, log }: Context): ApartThreads {
  const { databaseUrl, logLevel, production, baseUrl, publicUrl, outboundAllow, outboundResolve } = settings
  return new ApartThreads({
    entry: new URL('./verify.thread.ts', import.meta.url),
    workerData: { databaseUrl, logLevel, production, baseUrl, publicUrl, outboundAllow, outboundResolve } satisfies VerifySettings,
    log, ...verifications,
  })
}

/** The VC-API for outside test suites, where a port is set for it. */
async function openDoor(context: Context): Promise<Served | undefined> {
  const { vcApiTestPort: port, host, baseUrl } = context.settings
  if (port === undefined) return undefined
  const served = await serve(createVcApi(context, doorOf(context, verifyCredential)), port, host, baseUrl, 'VC_API_TEST_PORT')
  context.log.warn({ port }, 'the VC-API for test suites answers: it signs for whoever reaches it')
  return served
}
