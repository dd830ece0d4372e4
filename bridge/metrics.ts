import type { MetricReader } from '@opentelemetry/sdk-metrics'
import type { Meter } from '@opentelemetry/api'

/** How a call ended. `refused`: the API said no; `failed`: it answered 5xx; `unsent`: it was not asked. */
export type CallOutcomeName = 'ok' | 'refused' | 'failed' | 'unsent' | 'unreachable' | 'aborted'

/** Why a request was not taken. */
export type RefusalName = 'guard' | 'body' | 'view' | 'caller_limit' | 'operation_limit' | 'not_ready'

/** What happens here, as figures. No label is ever a caller's text: operations are those of the document. */
export interface Metrics {
  /** Whether anybody counts: who does not need not measure. */
  readonly on: boolean
  /** @param method of the message; what is not a method of the protocol counts as `other` */
  request(era: 'session' | 'modern' | 'none', method: unknown, status: number, seconds: number): void
  call(operation: string, outcome: CallOutcomeName, seconds: number): void
  asked(answer: 'accept' | 'decline' | 'cancel' | 'unable'): void
  task(): void
  mismatch(operation: string): void
  refused(why: RefusalName): void
  stop(): Promise<void>
}

/** Figures that are asked for when someone looks. */
export interface Gauges {
  readonly sessions: () => number
  /** Seconds since the API's document was last looked at with success; null: never. */
  readonly documentAge: () => number | null
  /** Null where nothing is shared. */
  readonly sharedReady: () => boolean | null
}

const ignore = () => undefined

/** Nobody counts. */
export const unmeasured: Metrics = {
  on: false,
  request: ignore,
  call: ignore,
  asked: ignore,
  task: ignore,
  mismatch: ignore,
  refused: ignore,
  stop: async () => undefined,
}

const known = new Set([
  'initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'resources/list', 'resources/templates/list',
  'resources/read', 'prompts/list', 'prompts/get', 'completion/complete', 'tasks/get', 'tasks/update', 'tasks/cancel',
  'notifications/initialized', 'notifications/cancelled',
])

const methodLabel = (method: unknown) =>
  typeof method !== 'string' ? 'none' : known.has(method) ? method : 'other'

const boundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/**
 * `GET /metrics` on a port of its own, on the host of the process. No port: nothing is served and nothing counted.
 * Names follow the Prometheus conventions; durations are seconds.
 */
export async function startMetrics(host: string, port: number | null, gauges: Gauges): Promise<Metrics> {
  if (port === null) return unmeasured
  // Not loaded by who does not measure: together they are a good part of a process's start.
  const [{ PrometheusExporter }, { MeterProvider }] = await Promise.all([
    import('@opentelemetry/exporter-prometheus'),
    import('@opentelemetry/sdk-metrics'),
  ])
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter as unknown as MetricReader] })
  const metrics = instruments(provider.getMeter('tessera-bridge'), gauges)
  await exporter.startServer()
  return { ...metrics, on: true, stop: () => provider.shutdown() }
}

function instruments(meter: Meter, gauges: Gauges): Omit<Metrics, 'on' | 'stop'> {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: boundaries } })
  const counter = (name: string, description: string) => meter.createCounter(name, { description })
  const gauge = (name: string, description: string, read: () => number | null) =>
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      const value = read()
      if (value !== null) result.observe(value)
    })
  gauge('tessera_bridge_sessions', 'Sessions in memory.', gauges.sessions)
  gauge('tessera_bridge_document_age_seconds', 'Seconds since the API document was last looked at.', gauges.documentAge)
  gauge('tessera_bridge_shared_ready', '1 while Redis answers, 0 while this process goes on alone.', () => {
    const ready = gauges.sharedReady()
    return ready === null ? null : Number(ready)
  })
  const requests = seconds('tessera_bridge_request_seconds', 'Seconds until a request was answered, by method.')
  const calls = seconds('tessera_bridge_call_seconds', 'Seconds the API took for a call, by operation and outcome.')
  const asks = counter('tessera_bridge_asks', 'Questions to people, by answer.')
  const tasks = counter('tessera_bridge_tasks', 'Calls that went on as a task.')
  const mismatches = counter('tessera_bridge_mismatches', 'Answers of the API that did not fit the document.')
  const refusals = counter('tessera_bridge_refusals', 'Requests that were not taken, by reason.')
  return {
    request: (era, method, status, time) =>
      requests.record(time, { era, method: methodLabel(method), status: String(status) }),
    call: (operation, outcome, time) => calls.record(time, { operation, outcome }),
    asked: (answer) => asks.add(1, { answer }),
    task: () => tasks.add(1),
    mismatch: (operation) => mismatches.add(1, { operation }),
    refused: (why) => refusals.add(1, { why }),
  }
}
