import { createServer } from 'node:http'
import type { MetricReader } from '@opentelemetry/sdk-metrics'
import type { Attributes } from '@opentelemetry/api'
import { strandedOperations } from './chains/retired.ts'
import { chainStates } from './chains/states.ts'
import type { Answered } from './http/app.ts'
import { openStreams } from './http/events.ts'
import { listenOn } from './kernel/listen.ts'
import type { Context } from './kernel/work.ts'
import { jobFigures } from './queue/states.ts'

interface Reading { value: number; labels: Attributes }

/** A figure that is asked for when someone looks: its values by their labels. */
export interface Figure { name: string; description: string; read(): Promise<Reading[]> }

export interface Metrics {
  answered(answered: Answered): void
  stop(): Promise<void>
}

/**
 * `GET /metrics` on a port of its own, on the host of the process. No port: nothing is served and nothing counted.
 * Names follow the Prometheus conventions; durations are seconds.
 * @param late whether the library waits for the first look: a worker has nothing to count, and an import needs the memory
 */
export async function startMetrics(
  host: string, port: number | undefined, figures: readonly Figure[], late = false,
): Promise<Metrics> {
  if (port === undefined) return { answered: () => undefined, stop: async () => undefined }
  let made: Promise<Instruments> | undefined
  const instruments = () => made ??= instrumentsFor(figures).catch((cause: unknown) => {
    made = undefined
    throw cause
  })
  const server = createServer((request, response) => {
    const refuse = (status: number) => { response.writeHead(status).end() }
    if (request.url?.split('?')[0] !== '/metrics') return refuse(404)
    instruments().then(({ exporter }) => exporter.getMetricsRequestHandler(request, response), () => refuse(500))
  }).unref()
  await listenOn(server, 'METRICS_PORT', port, host)
  const requests = late ? undefined : (await instruments()).requests
  return {
    answered: ({ operation, method, status, seconds }) => requests?.record(seconds, { operation, method, status: String(status) }),
    async stop() {
      server.close()
      await (await made)?.stop()
    },
  }
}

type Instruments = Awaited<ReturnType<typeof instrumentsFor>>

/** Not loaded by who does not measure: together they are a good part of a process's start. */
async function instrumentsFor(figures: readonly Figure[]) {
  const [{ PrometheusExporter }, { MeterProvider }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'), import('@opentelemetry/sdk-metrics'),
  ])
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter as unknown as MetricReader] })
  const meter = provider.getMeter('tessera')
  for (const { name, description, read } of figures) {
    meter.createObservableGauge(name, { description }).addCallback(async (result) => {
      for (const { value, labels } of await read()) result.observe(value, labels)
    })
  }
  const requests = meter.createHistogram('tessera_request_seconds', {
    description: 'Seconds a request took, by operation and status.', unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] },
  })
  return { exporter, requests, stop: () => provider.shutdown() }
}

interface Pool { numUsed(): number; numFree(): number; numPendingAcquires(): number }

/** How the database pool of this process stands. */
const poolFigure = ({ db }: Context): Figure => ({
  name: 'tessera_database_connections', description: 'Connections of the pool, and who waits for one.',
  async read() {
    const pool = (db.client as { pool: Pool }).pool
    return [
      { value: pool.numUsed(), labels: { state: 'used' } }, { value: pool.numFree(), labels: { state: 'free' } },
      { value: pool.numPendingAcquires(), labels: { state: 'waiting' } },
    ]
  },
})

const redisFigure = ({ queue }: Context): Figure => ({
  name: 'tessera_doorbell_ready', description: '1 while Redis rings the bell, 0 while the database does it alone.',
  read: async () => [{ value: queue.ready() ? 1 : 0, labels: {} }],
})

/** Figures of the API process. */
export const serverFigures = (context: Context): Figure[] => [
  poolFigure(context), redisFigure(context),
  { name: 'tessera_event_streams', description: 'Open event streams.', read: async () => [{ value: openStreams(), labels: {} }] },
]

/** Figures of the worker: the tables that all processes share are counted here, once. */
export const workerFigures = (context: Context): Figure[] => [
  poolFigure(context), redisFigure(context),
  ...jobFigures(context.db),
  {
    name: 'tessera_chain_operations', description: 'Chain operations by network and state.',
    read: async () => (await chainStates(context.db)).map(({ network, state, count }) => ({ value: count, labels: { network, state } })),
  },
  {
    name: 'tessera_chain_stranded_operations', description: 'Chain operations that wait for a sender whose key is not configured any more.',
    read: async () => (await strandedOperations(context.db)).map(({ network, sender, operations }) => ({ value: operations, labels: { network, sender } })),
  },
]
