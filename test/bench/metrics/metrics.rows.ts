import type { BenchOptions } from '../bench-setup.ts'
import { atMost, createAbsoluteFigure, type Figure } from '../figures.ts'
import { runLoad } from '../load.ts'
import { startMetricsSetup } from './metrics.data.ts'

const row = 'metrics'
const dayMs = 86_400_000

/** Measures a year of metrics by day, week and month, over the API, one request at a time. */
export async function measureMetrics(options: BenchOptions): Promise<Figure[]> {
  const setup = await startMetricsSetup(options)
  try {
    const { url } = await setup.api()
    const headers = { 'X-Api-Key': setup.facts.apiKey }
    const from = new Date(Date.now() - 364 * dayMs).toISOString().slice(0, 10)
    const figures: Figure[] = []
    for (const what of ['dpp', 'loyalty'])
      for (const interval of ['day', 'week', 'month']) {
        const path = `/v1/admin/metrics/${what}?from=${from}&interval=${interval}`
        const requests = [{ method: 'GET' as const, path, headers }]
        await runLoad(
          url,
          { requests, connections: 1, seconds: getWarmUpSeconds(setup.seconds, figures) },
          setup.scratch,
        )
        const { p50, p99 } = await runLoad(url, { requests, connections: 1, seconds: setup.seconds }, setup.scratch)
        figures.push(
          createFigure(`a year of ${what} by ${interval}, 10,000,000 passports and 1,000,000 accounts, p50`, p50),
          createFigure('the same, p99', p99),
        )
      }
    return figures
  } finally {
    await setup.stop()
  }
}

/** A fresh process compiles its code during the first requests, which would be counted for the figure that comes first. */
const getWarmUpSeconds = (seconds: number, measured: readonly Figure[]) => (measured.length === 0 ? 2 * seconds : 2)

const createFigure = (what: string, ours: number): Figure =>
  createAbsoluteFigure({ row, what, unit: 'ms', ours, target: atMost(20) })
