import type { MetricReader } from '@opentelemetry/sdk-metrics'
import type { Meter } from '@opentelemetry/api'

/**
 * The outcome of a call. `refused`: the API answered 4xx; `failed`: it answered 5xx; `unsent`: nothing was sent to it.
 */
export type CallOutcomeLabel = 'ok' | 'refused' | 'failed' | 'unsent' | 'unreachable' | 'aborted'

/** The reason for which a request was refused. */
export type RefusalLabel = 'guard' | 'body' | 'view' | 'caller_limit' | 'operation_limit' | 'not_ready'

/** Counts and measures what the bridge does. Labels never contain a caller's text: operations are the document's. */
export interface Metrics {
  /** False if nobody collects the figures; the callers then need not measure. */
  readonly isEnabled: boolean
  /** @param method the method of the message; one that the protocol does not have counts as `other` */
  recordRequest(era: 'session' | 'modern' | 'none', method: unknown, status: number, seconds: number): void
  recordCall(operation: string, outcome: CallOutcomeLabel, seconds: number): void
  recordElicitation(answer: 'accept' | 'decline' | 'cancel' | 'unable'): void
  recordTask(): void
  recordMismatch(operation: string): void
  recordRefusal(why: RefusalLabel): void
  stop(): Promise<void>
}

/** Functions that read the current figures when the metrics are collected. */
export interface GaugeReaders {
  readonly countSessions: () => number
  /** Returns the seconds since the API's document was last checked with success; null if it never was. */
  readonly getDocumentAgeSeconds: () => number | null
  /** Returns the number of annotated operations that cannot be a tool; null while there is no document. */
  readonly countLeftOut: () => number | null
  /** Returns whether Redis can be reached; null if the process uses no Redis. */
  readonly isSharedReady: () => boolean | null
}

const doNothing = () => undefined

/** Metrics that record nothing. */
export const noMetrics: Metrics = {
  isEnabled: false,
  recordRequest: doNothing,
  recordCall: doNothing,
  recordElicitation: doNothing,
  recordTask: doNothing,
  recordMismatch: doNothing,
  recordRefusal: doNothing,
  stop: async () => undefined,
}

const knownMethods = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'notifications/initialized',
  'notifications/cancelled',
])

const getMethodLabel = (method: unknown) =>
  typeof method !== 'string' ? 'none' : knownMethods.has(method) ? method : 'other'

const secondsBoundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/**
 * Starts the server for `GET /metrics` on its own port, on the host of the process. Without a port, nothing is served
 * and nothing is counted. Names follow the Prometheus conventions; durations are in seconds.
 */
export async function startMetrics(host: string, port: number | null, gauges: GaugeReaders): Promise<Metrics> {
  if (port === null) return noMetrics
  // These modules are loaded only when needed, because they take a good part of the start time.
  const [{ PrometheusExporter }, { MeterProvider }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/sdk-metrics'),
  ])
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter as unknown as MetricReader] })
  const metrics = createInstruments(provider.getMeter('tessera-bridge'), gauges)
  await exporter.startServer()
  return { ...metrics, isEnabled: true, stop: () => provider.shutdown() }
}

function createInstruments(meter: Meter, gauges: GaugeReaders): Omit<Metrics, 'isEnabled' | 'stop'> {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: secondsBoundaries } })
  const counter = (name: string, description: string) => meter.createCounter(name, { description })
  const gauge = (name: string, description: string, read: () => number | null) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      const value = read()
      if (value !== null) result.observe(value)
    })
  gauge('tessera_bridge_sessions', 'Sessions in memory.', gauges.countSessions)
  gauge(
    'tessera_bridge_document_age_seconds',
    'Seconds since the API document was last looked at.',
    gauges.getDocumentAgeSeconds,
  )
  gauge('tessera_bridge_left_out', 'Operations of the API document that cannot be a tool.', gauges.countLeftOut)
  gauge('tessera_bridge_shared_ready', '1 while Redis answers, 0 while this process goes on alone.', () => {
    const ready = gauges.isSharedReady()
    return ready === null ? null : Number(ready)
  })
  const requests = seconds('tessera_bridge_request_seconds', 'Seconds until a request was answered, by method.')
  const calls = seconds('tessera_bridge_call_seconds', 'Seconds the API took for a call, by operation and outcome.')
  const asks = counter('tessera_bridge_asks', 'Questions to people, by answer.')
  const tasks = counter('tessera_bridge_tasks', 'Calls that went on as a task.')
  const mismatches = counter('tessera_bridge_mismatches', 'Answers of the API that did not fit the document.')
  const refusals = counter('tessera_bridge_refusals', 'Requests that were not taken, by reason.')
  return {
    recordRequest: (era, method, status, time) =>
      requests.record(time, { era, method: getMethodLabel(method), status: String(status) }),
    recordCall: (operation, outcome, time) => calls.record(time, { operation, outcome }),
    recordElicitation: (answer) => asks.add(1, { answer }),
    recordTask: () => tasks.add(1),
    recordMismatch: (operation) => mismatches.add(1, { operation }),
    recordRefusal: (why) => refusals.add(1, { why }),
  }
}
