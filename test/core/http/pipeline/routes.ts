import type { AddressInfo } from 'node:net'
import type { Knex } from 'knex'
import { pino } from 'pino'
import { createApp, type App, type AppOptions, type RequestMeasurement } from '../../../../core/http/pipeline/app.ts'
import { startHttpServer } from '../../../../core/http/serve/http-server.ts'
import type { HealthReport } from '../../../../core/http/serve/system.ts'
import type { WorkerThreadPool } from '../../../../core/http/apart/thread-pool.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { Operation } from '../../../../core/kernel/operation.ts'
import type { JobQueue } from '../../../../core/kernel/ports/job-queue.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { problemPages } from '../../../../core/pages/index.ts'

/** The pipeline with operations that need no database, and what was seen of its requests. */
export interface ServedRoutes {
  url: string
  app: App
  /** The kind of session that was preferred for each request. */
  preferredKinds: string[]
  measurements: RequestMeasurement[]
  /** The lines of the log of requests. */
  lines: Record<string, unknown>[]
  /** What the platform reports of its health. */
  setHealth(report: HealthReport): void
  stop(): Promise<void>
}

/** What the operations use of the platform. */
interface RouteParts {
  queue?: Pick<JobQueue, 'assertNotRefusedRecently'>
  workerThreads?: WorkerThreadPool
  settings?: object
}

/**
 * Serves operations without a database. A page of `https://friend.example` may call them. A request says who sends it
 * in `x-api-key`, and that its credential is refused in `x-refused`.
 */
export async function serveRoutes(
  operations: readonly Operation[],
  { queue, workerThreads, settings }: RouteParts = {},
): Promise<ServedRoutes> {
  const preferredKinds: string[] = []
  const measurements: RequestMeasurement[] = []
  const lines: Record<string, unknown>[] = []
  let health: HealthReport = { status: 'ok' }
  const identity = {
    authenticate: async (headers: Record<string, string | undefined>, preferredKind: string) => {
      preferredKinds.push(preferredKind)
      const caller = JSON.parse(headers['x-api-key'] ?? '{"kind":"anonymous"}') as Caller
      return {
        caller,
        credential: headers['x-credential'] ?? null,
        cameInCookie: headers['cookie'] !== undefined,
        ...(headers['x-refused'] && { problem: createProblem('AUTH_INVALID_API_KEY', 'No such key.') }),
      }
    },
    onCredentialEnded: () => () => undefined,
  }
  const context = {
    db: {} as Knex,
    identity,
    queue,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    settings: {
      baseUrl: 'http://localhost',
      publicUrl: 'http://localhost',
      apiUrl: 'http://localhost',
      allowedHosts: ['127.0.0.1'],
      host: '127.0.0.1',
      trustProxy: false,
      production: false,
      eventStreamsPerKey: 0,
      eventStreamsPerOrganization: 0,
      eventStreamsPerBuyer: 0,
      ...settings,
    },
  } as unknown as Context
  const options: AppOptions = {
    operations,
    limits: {
      countRequest: async (_, getAddress) => ({ 'X-Counted': getAddress() }),
      isReady: () => true,
      close: async () => undefined,
    },
    system: { document: '{}', health: async () => health },
    problemPages,
    isAllowedOrigin: async (origin) => origin === 'https://friend.example',
    isProvenHost: async () => false,
    ...(workerThreads && { workerThreads }),
    recordRequest: (measurement) => void measurements.push(measurement),
  }
  const app = createApp(context, options)
  const { server, stop } = await startHttpServer(app, 0, '127.0.0.1', 'http://127.0.0.1')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    app,
    preferredKinds,
    measurements,
    lines,
    setHealth: (report) => void (health = report),
    async stop() {
      const stopped = stop()
      server.closeAllConnections()
      await stopped
    },
  }
}
