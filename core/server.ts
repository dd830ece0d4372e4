import { readFile } from 'node:fs/promises'
import { contextOf, type Built } from './context.ts'
import { allowsOrigin } from './features/applications/index.ts'
import { createApp } from './http/app.ts'
import { limitsOf, type Limits } from './http/limit.ts'
import { serve } from './http/serve.ts'
import { runProcess } from './kernel/process.ts'
import { serverFigures, startMetrics } from './metrics.ts'
import { missingParts } from './health.ts'
import { operations } from './operations.ts'
import { demand, readSettings } from './settings.ts'

const documentFile = new URL('../openapi.json', import.meta.url)

/** The API: stateless, in any number behind a balancer. */
runProcess('server', async () => {
  const settings = demand(readSettings(), 'keyEncryptionKey')
  const built = await contextOf(settings, 'server')
  const limits = await limitsOf({
    redisUrl: settings.redisUrl, perKey: settings.rateLimitKeyPerMinute, perAddress: settings.rateLimitAddressPerMinute, log: built.context.log,
  })
  return start(built, limits, await readFile(documentFile, 'utf8'))
})

async function start({ context, close }: Built, limits: Limits, document: string) {
  const { settings } = context
  const metrics = await startMetrics(settings.host, settings.metricsPort, serverFigures(context))
  const app = createApp(context, {
    operations, limits, system: { document, missingParts: () => missingParts(context, limits) }, allowsOrigin: allowsOrigin(context),
    answered: metrics.answered,
  })
  const web = await serve(app, settings.port, settings.host, settings.baseUrl)
  context.log.info({ address: settings.baseUrl }, 'the API answers')
  // Sooner than anybody needs them, but not before the first answer. A schema that does not compile ends the process.
  void app.prepare()
  return {
    stop: async () => {
      await web.stop()
      await metrics.stop()
      await limits.close()
      await close()
    },
  }
}
