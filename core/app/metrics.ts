import { createServer } from 'node:http'
import type { MetricReader } from '@opentelemetry/sdk-metrics'
import type { Attributes } from '@opentelemetry/api'
import { listStrandedSenders } from '../chains/engine/rows/retired-senders.ts'
import { countOperationsByState } from '../chains/engine/rows/operation-states.ts'
import type { RequestLog } from '../features/requests/index.ts'
import type { RequestMeasurement } from '../http/pipeline/app.ts'
import { countOpenStreams } from '../http/events/event-streams.ts'
import { startListening } from '../kernel/process/listen.ts'
import type { Context } from '../kernel/work.ts'
import { createJobFigures } from '../queue/engine/states.ts'

interface GaugeReading {
  value: number
  labels: Attributes
}

/** A metric that is read on request, as values with labels. */
export interface Gauge {
  name: string
  description: string
  readValues(): Promise<GaugeReading[]>
}

/** What the metrics count of a request. */
type MeasuredRequest = Pick<RequestMeasurement, 'operation' | 'method' | 'status' | 'seconds'>

export interface Metrics {
  recordRequest(measurement: MeasuredRequest): void
  stop(): Promise<void>
}

/**
 * Serves `GET /metrics` on a separate port of the process's host. Without a port nothing is served or counted. Names
 * follow the Prometheus conventions; durations are in seconds.
 * @param isLazy whether the library is loaded only with the first request: a worker records no requests, and imports
 * need the memory
 */
export async function startMetrics(
  host: string,
  port: number | undefined,
  gauges: readonly Gauge[],
  isLazy = false,
): Promise<Metrics> {
  if (port === undefined) return { recordRequest: () => undefined, stop: async () => undefined }
  let instrumentsPromise: Promise<Instruments> | undefined
  const getInstruments = () =>
    (instrumentsPromise ??= createInstruments(gauges).catch((cause: unknown) => {
      instrumentsPromise = undefined
      throw cause
    }))
  const server = createServer((request, response) => {
    const refuse = (status: number) => {
      response.writeHead(status).end()
    }
    if (request.url?.split('?')[0] !== '/metrics') return refuse(404)
    getInstruments().then(
      ({ exporter }) => exporter.getMetricsRequestHandler(request, response),
      () => refuse(500),
    )
  }).unref()
  await startListening(server, 'METRICS_PORT', port, host)
  const requests = isLazy ? undefined : (await getInstruments()).requests
  return {
    recordRequest: ({ operation, method, status, seconds }) =>
      requests?.record(seconds, { operation, method, status: String(status) }),
    async stop() {
      server.close()
      await (await instrumentsPromise)?.stop()
    },
  }
}

type Instruments = Awaited<ReturnType<typeof createInstruments>>

/**
 * Creates the instruments. Their modules are loaded only if metrics are on, because they slow down the start of a
 * process.
 */
async function createInstruments(gauges: readonly Gauge[]) {
  const [{ PrometheusExporter }, { MeterProvider }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/sdk-metrics'),
  ])
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter as unknown as MetricReader] })
  const meter = provider.getMeter('tessera')
  for (const { name, description, readValues } of gauges) {
    meter.createObservableGauge(name, { description }).addCallback(async (result) => {
      for (const { value, labels } of await readValues()) result.observe(value, labels)
    })
  }
  const requests = meter.createHistogram('tessera_request_seconds', {
    description: 'Seconds a request took, by operation and status.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] },
  })
  return { exporter, requests, stop: () => provider.shutdown() }
}

interface DatabasePool {
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}

/** Creates the gauge of this process's database pool. */
const createPoolGauge = ({ db }: Context): Gauge => ({
  name: 'tessera_database_connections',
  description: 'Connections of the pool, and who waits for one.',
  async readValues() {
    const pool = (db.client as { pool: DatabasePool }).pool
    return [
      { value: pool.numUsed(), labels: { state: 'used' } },
      { value: pool.numFree(), labels: { state: 'free' } },
      { value: pool.numPendingAcquires(), labels: { state: 'waiting' } },
    ]
  },
})

const createRedisGauge = ({ queue }: Context): Gauge => ({
  name: 'tessera_doorbell_ready',
  description: '1 while Redis rings the bell, 0 while the database does it alone.',
  readValues: async () => [{ value: queue.isReady() ? 1 : 0, labels: {} }],
})

/** Creates the gauges of the API process. */
export const createServerGauges = (context: Context): Gauge[] => [
  createPoolGauge(context),
  createRedisGauge(context),
  {
    name: 'tessera_event_streams',
    description: 'Open event streams.',
    readValues: async () => [{ value: countOpenStreams(), labels: {} }],
  },
]

/** Creates the gauge of what the log of requests had no room for. */
export const createRequestLogGauge = (requestLog: Pick<RequestLog, 'countDropped'>): Gauge => ({
  name: 'tessera_request_log_dropped',
  description: 'Requests that the log of requests had no room for, since the start.',
  readValues: async () => [{ value: requestLog.countDropped(), labels: {} }],
})

/** Creates the gauges of the worker, which also counts the tables that all processes share. */
export const createWorkerGauges = (context: Context): Gauge[] => [
  createPoolGauge(context),
  createRedisGauge(context),
  ...createJobFigures(context.db),
  {
    name: 'tessera_chain_operations',
    description: 'Chain operations by network and state.',
    readValues: async () =>
      (await countOperationsByState(context.db)).map(({ network, state, count }) => ({
        value: count,
        labels: { network, state },
      })),
  },
  {
    name: 'tessera_chain_stranded_operations',
    description: 'Chain operations that wait for a sender whose key is not configured any more.',
    readValues: async () =>
      (await listStrandedSenders(context.db)).map(({ network, sender, operations }) => ({
        value: operations,
        labels: { network, sender },
      })),
  },
]
