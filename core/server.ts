import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { createContext, type ContextHandle } from './app/context.ts'
import { assertMigrationsUnchanged } from './database/migrations.ts'
import { createOriginCheck, createProvenHostCheck } from './features/applications/index.ts'
import { startRequestLog } from './features/requests/index.ts'
import { createApp } from './http/pipeline/app.ts'
import { WorkerThreadPool } from './http/apart/thread-pool.ts'
import { createRateLimits, type RateLimits } from './http/limits/rate-limits.ts'
import { startHttpServer } from './http/serve/http-server.ts'
import { runProcess } from './kernel/process/process.ts'
import type { Context } from './kernel/work.ts'
import { problemPages } from './pages/index.ts'
import { createRequestLogGauge, createServerGauges, startMetrics } from './app/metrics.ts'
import { Health } from './app/health.ts'
import { operations } from './app/operations.ts'
import { listUnsafeProductionReasons } from './app/settings.production.ts'
import { assertSettings, readSettings } from './app/settings.ts'
import { withoutSigningSettings } from './app/settings.signing.ts'
import type { VerifySettings } from './app/verify.thread.ts'

const documentFile = new URL('../openapi.json', import.meta.url)

/** Starts the API. It is stateless, so any number of processes can run behind a load balancer. */
runProcess('server', async () => {
  const settings = assertSettings(
    withoutSigningSettings(readSettings(process.env, listUnsafeProductionReasons)),
    'keyEncryptionKey',
  )
  const built = await createContext(settings, 'server')
  const [limits] = await Promise.all([
    createRateLimits({
      redisUrl: settings.redisUrl,
      maxPerKey: settings.rateLimitKeyPerMinute,
      maxPerAddress: settings.rateLimitAddressPerMinute,
      log: built.context.log,
    }),
    assertMigrationsUnchanged(built.context.db),
  ])
  return startApi(built, limits, await readFile(documentFile, 'utf8'))
})

async function startApi({ context: base, close }: ContextHandle, limits: RateLimits, document: string) {
  const workerThreads = createVerifyThreads(base)
  const context: Context = { ...base, workerThreads }
  const { settings } = context
  const requestLog = startRequestLog(context)
  const gauges = [...createServerGauges(context), createRequestLogGauge(requestLog)]
  const metrics = await startMetrics(settings.host, settings.metricsPort, gauges)
  const health = new Health(context, limits)
  const app = createApp(context, {
    operations,
    workerThreads,
    limits,
    system: { document, health: () => health.createReport() },
    problemPages,
    isAllowedOrigin: createOriginCheck(context),
    isProvenHost: createProvenHostCheck(context),
    recordRequest(request) {
      metrics.recordRequest(request)
      requestLog.record(request)
    },
  })
  const httpServer = await startHttpServer(app, settings.port, settings.host, settings.baseUrl)
  context.log.info({ address: settings.baseUrl }, 'the API answers')
  // Compiles the routes before they are needed, but after the server listens. A schema that does not compile ends the
  // process. It takes seconds of a processor, which a server that lives for a few requests does not have to spend.
  if (settings.compileRoutes === 'at-start') void app.compileRoutes()
  return {
    stop: async () => {
      await httpServer.stop()
      await requestLog.stop()
      await workerThreads.close()
      await metrics.stop()
      await limits.close()
      await health.close()
      await close()
    },
  }
}

/**
 * Limits for verifications that run and that wait: in total, and per owner (an organization or network). One owner
 * keeps at most half of the processors busy, so that there is always capacity for another owner.
 */
const verificationLimits = {
  maxRunning: Math.max(2, availableParallelism()),
  maxRunningOfOwner: Math.max(1, availableParallelism() >> 1),
  maxWaiting: 100,
  maxWaitingOfOwner: 10,
}

/** Creates the threads that verify credentials for anybody. They get no secret that signs or decrypts. */
function createVerifyThreads({ settings, log }: Context): WorkerThreadPool {
  const { databaseUrl, logLevel, production, baseUrl, publicUrl, outboundAllow, outboundResolve } = settings
  return new WorkerThreadPool({
    moduleUrl: new URL('./app/verify.thread.ts', import.meta.url),
    workerData: {
      databaseUrl,
      logLevel,
      production,
      baseUrl,
      publicUrl,
      outboundAllow,
      outboundResolve,
    } satisfies VerifySettings,
    log,
    ...verificationLimits,
  })
}
