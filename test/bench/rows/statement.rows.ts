import { readStatement } from '../../../core/features/loyalty/index.ts'
import type { BenchOptions } from '../bench-setup.ts'
import { atMost, computeMedian, createAbsoluteFigure, createInformativeFigure, type Figure } from '../figures.ts'
import { runLoad } from '../load.ts'
import { startAccountsSetup } from '../points/accounts.data.ts'

/** How often a statement is read. */
const runCount = 100
/** The entries that a page of a statement lists; its sums are of all entries. */
const listedEntries = 50
const row = 'statement'

/** Measures the statement of an account with 10,000 entries in 12 months, and the list of its entries over the API. */
export async function measureStatement(options: BenchOptions): Promise<Figure[]> {
  const setup = await startAccountsSetup(options)
  try {
    const {
      facts: { oldest, apiKey },
      db,
    } = setup
    const [account = ''] = oldest
    const since = new Date()
    since.setUTCFullYear(since.getUTCFullYear() - 1)
    const read = (limit: number) => readStatement(db, account, { since, limit })
    const { count } = await read(1)
    const { url } = await setup.api()
    const headers = { 'X-Api-Key': apiKey }
    const path = `/v1/loyalty/account/${account}/ledger?pageSize=${listedEntries}&filters[recordedAt][gte]=${since.toISOString()}`
    const requests = [{ method: 'GET' as const, path, headers }]
    const loaded = await runLoad(url, { requests, connections: 1, seconds: options.quick ? 5 : 10 }, setup.scratch)
    const what = `12 months of an account with ${count.toLocaleString('en')} entries`
    return [
      createAbsoluteFigure({
        row,
        what: `the statement of ${what}, the newest ${listedEntries} listed`,
        unit: 'ms',
        ours: await measureMedianMs(() => read(listedEntries)),
        target: atMost(20),
      }),
      createInformativeFigure({
        row,
        what: `the same, all ${count.toLocaleString('en')} listed`,
        unit: 'ms',
        ours: await measureMedianMs(() => read(count)),
      }),
      createInformativeFigure({
        row,
        what: `a page of the entries of ${what}, over the API, p50`,
        unit: 'ms',
        ours: loaded.p50,
      }),
      createInformativeFigure({ row, what: 'the same, p99', unit: 'ms', ours: loaded.p99 }),
    ]
  } finally {
    await setup.stop()
  }
}

async function measureMedianMs(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runCount; run++) {
    const startedAtMs = performance.now()
    await read()
    times.push(performance.now() - startedAtMs)
  }
  return computeMedian(times)
}
