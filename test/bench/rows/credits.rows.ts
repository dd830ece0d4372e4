import type { BenchOptions, BenchSetup } from '../bench-setup.ts'
import { atLeast, createInformativeFigure, createRatioFigure, type Figure } from '../figures.ts'
import { loadSidesInTurn, runLoad, type HttpRequest } from '../load.ts'
import {
  createRequests,
  creditedAccounts,
  startCreditsSetup,
  tidyPoints,
  type AccountsData,
} from '../points/accounts.data.ts'
import { measureDrain } from '../points/drain.ts'

/** The connections of the load generator. */
const connections = 32
const row = 'credits'

/**
 * Measures credits of 10,000 accounts through the API, next to a raw server that inserts the same rows with one
 * statement a request; then burns, and how fast the chain gets what was credited.
 */
export async function measureCredits(options: BenchOptions): Promise<Figure[]> {
  const setup = await startCreditsSetup(options)
  try {
    return [...(await measureRequests(setup)), ...(await measureDrain(setup))]
  } finally {
    await setup.stop()
  }
}

async function measureRequests(setup: BenchSetup<AccountsData>): Promise<Figure[]> {
  const [api, raw] = [await setup.api(), await setup.raw()]
  const mints = createRequests(setup.facts, 'mint', 100)
  await openGathering(api.url, mints[0])
  // Three runs of each side are a minute of each.
  const seconds = setup.options.quick ? 6 : 20
  const [ours, other] = await loadSidesInTurn(
    [api, raw].map(({ url, pid }) => ({ url, pid, requests: mints })),
    { connections, seconds },
    setup.scratch,
  )
  if (!ours || !other) throw new Error('A side was not measured')
  await tidyPoints(setup.db)
  const burns = { requests: createRequests(setup.facts, 'burn', 1), connections, seconds }
  const burned = await runLoad(api.url, burns, setup.scratch)
  const what = `credits of ${creditedAccounts.toLocaleString('en')} accounts, with a key`
  const baseline = (name: 'p50' | 'p99' | 'spent') => ({ name: 'raw', value: other[name] })
  const inform = (about: string, unit: string, ours: number, compared?: 'p50' | 'p99' | 'spent') =>
    createInformativeFigure({
      row,
      what: about,
      unit,
      ours,
      ...(compared && { baseline: baseline(compared) }),
    })
  return [
    createRatioFigure({
      row,
      what,
      unit: 'requests/s',
      baseline: { name: 'raw', value: other.perSecond },
      ours: ours.perSecond,
      target: atLeast(0.5),
    }),
    inform('the same, processor time of the process for each', 'µs', ours.spent, 'spent'),
    inform(`the same at ${connections} connections, p50`, 'ms', ours.p50, 'p50'),
    inform('the same, p99', 'ms', ours.p99, 'p99'),
    inform('burns of the same accounts', 'requests/s', burned.perSecond),
    inform(`the same at ${connections} connections, p50`, 'ms', burned.p50),
    inform('the same, p99', 'ms', burned.p99),
  ]
}

/** Makes the book and the job of the application, which the raw server uses too. */
async function openGathering(url: string, request: HttpRequest | undefined): Promise<void> {
  if (!request) throw new Error('There is no account to credit')
  const { path, method, headers, body } = request
  const answer = await fetch(`${url}${path}`, { method, ...(headers && { headers }), ...(body && { body }) })
  if (answer.status !== 202) throw new Error(`A credit is answered ${answer.status} ${await answer.text()}`)
}
