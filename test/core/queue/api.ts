import type { AddressInfo } from 'node:net'
import type { Caller } from '../../../core/kernel/caller.ts'
import type { Operation } from '../../../core/kernel/operation.ts'
import type { Context } from '../../../core/kernel/work.ts'
import { createApp, type AppOptions } from '../../../core/http/pipeline/app.ts'
import { startHttpServer } from '../../../core/http/serve/http-server.ts'
import { problemPages } from '../../../core/pages/index.ts'

export interface Api {
  url: string
  as(caller: Caller): Record<string, string>
  stop(): Promise<void>
}

/**
 * An API of a few operations on the real pipeline. Who asks is what `as` says: signing in has its own tests.
 * @param parts what the pipeline uses: without `limits` nothing is counted, without `workerThreads` nothing runs in one
 */
export async function serveApi(
  context: Context,
  operations: readonly Operation[],
  settings: object = {},
  parts: Pick<Partial<AppOptions>, 'limits' | 'workerThreads'> = {},
): Promise<Api> {
  const identity = {
    authenticate: async (headers: Record<string, string | string[] | undefined>) => ({
      caller: JSON.parse(String(headers['x-api-key'] ?? '{"kind":"anonymous"}')) as Caller,
      credential: null,
      cameInCookie: false,
    }),
    onCredentialEnded: () => () => undefined,
    mailOwners: async () => undefined,
    recordAct: async () => undefined,
  }
  const base = {
    baseUrl: 'http://localhost',
    publicUrl: 'http://localhost',
    trustProxy: false,
    production: false,
    apiUrl: 'http://localhost',
    allowedHosts: ['127.0.0.1'],
    host: '127.0.0.1',
  }
  // No limit.
  const streams = { eventStreamsPerKey: 0, eventStreamsPerOrganization: 0, eventStreamsPerBuyer: 0 }
  const app = createApp(
    { ...context, identity, settings: { ...context.settings, ...base, ...streams, ...settings } } as Context,
    {
      operations,
      limits: { countRequest: async () => ({}), isReady: () => true, close: async () => undefined },
      system: { document: '{}', health: async () => ({ status: 'ok' as const }) },
      problemPages,
      isAllowedOrigin: async () => false,
      isProvenHost: async () => false,
      ...parts,
    },
  )
  const { server, stop } = await startHttpServer(app, 0, '127.0.0.1', 'http://127.0.0.1')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    as: (caller) => ({ 'x-api-key': JSON.stringify(caller) }),
    async stop() {
      const stopped = stop()
      server.closeAllConnections()
      await stopped
    },
  }
}
