import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics'
import type { Attributes, Meter } from '@opentelemetry/api'

/** A figure that is asked for when someone looks: its values by their labels. */
export interface Figure { name: string; description: string; read(): Promise<{ value: number; labels: Attributes }[]> }

export interface Metrics { meter: Meter; stop(): Promise<void> }

/** `GET /metrics` on a port of its own, loopback unless the host says otherwise. No port: nothing is served. */
export async function startMetrics(host: string, port: number | undefined, figures: readonly Figure[]): Promise<Metrics> {
  const exporter = port === undefined ? null : new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: exporter ? [exporter as unknown as MetricReader] : [] })
  const meter = provider.getMeter('tessera')
  for (const { name, description, read } of figures) {
    meter.createObservableGauge(name, { description }).addCallback(async (result) => {
      for (const { value, labels } of await read()) result.observe(value, labels)
    })
  }
  await exporter?.startServer()
  return { meter, stop: async () => { await provider.shutdown() } }
}
