import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase } from '../../../core/database/connection.ts'
import { runAdminWithSettings } from '../../support/admin-command.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { insertWalletsWithoutKeys } from '../../support/rows/chains/sealed-wallets.ts'
import { listTransactionsSince, readLastBlock } from '../chain.ts'
import type { BenchOptions } from '../bench-setup.ts'
import { atLeast, atMost, createAbsoluteFigure, createInformativeFigure, type Figure } from '../figures.ts'
import { runLoad } from '../load.ts'
import { getMicroseconds, printProfile } from '../profile.ts'
import {
  countUnsettledOrders,
  createRequests,
  creditedAccounts,
  fillAccounts,
  listWallets,
  type AccountsData,
} from './accounts.data.ts'

/** What the drain needs of the setup. */
interface DrainSetup {
  options: BenchOptions
  scratch: string
  profileOf(name: string): string | undefined
}

const row = 'credits'

/**
 * Measures how fast the chain gets credits, on a platform of its own with a new chain: what waits while no worker runs,
 * then credits that come while it works. At the end the ledger is compared with the chain.
 */
export async function measureDrain(setup: DrainSetup): Promise<Figure[]> {
  const folder = setup.profileOf('drain')
  const env = folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
  const platform = await startPlatform({ env })
  const db = connectDatabase({ url: platform.database, name: 'bench', maxConnections: 2, withoutTimeouts: true })
  const { server, worker } = platform.children
  const profiled = { server: server.pid, worker: worker.pid }
  let from = 0
  try {
    const { apiKey, organization, application } = platform
    const size = { accounts: creditedAccounts, statements: 0, entriesEach: 0 }
    const facts = await fillAccounts(db, { apiKey, organization, application }, size, () => undefined)
    await insertWalletsWithoutKeys(platform.signerDatabase, await listWallets(db, facts.shop))
    const stage: DrainStage = { ...setup, platform, facts, countLeft: () => countUnsettledOrders(db, facts.shop) }
    // The contract of the application is deployed with its first credit.
    await creditFor(stage, 1)
    from = getMicroseconds()
    return [...(await measureBacklog(stage)), ...(await measureSteady(stage)), await createLedgerFigure(platform)]
  } finally {
    await db.destroy()
    await platform.stop()
    if (folder !== undefined) {
      const time = { from, to: Infinity }
      for (const [name, pid] of Object.entries(profiled)) await printProfile({ name, folder, pid }, time)
    }
  }
}

interface DrainStage extends DrainSetup {
  platform: OwnPlatform
  facts: AccountsData
  /** The number of entries that are not final. */
  countLeft(): Promise<number>
}

/** Credits under load for some seconds. @returns the number of credits */
async function credit({ platform: { api }, facts, scratch }: DrainStage, seconds: number): Promise<number> {
  const load = { requests: createRequests(facts, 'mint', 100), connections: 32, seconds }
  return (await runLoad(api, load, scratch)).count
}

async function creditFor(stage: DrainStage, seconds: number): Promise<number> {
  const count = await credit(stage, seconds)
  await waitUntilFinal(stage)
  return count
}

async function waitUntilFinal({ countLeft }: DrainStage): Promise<void> {
  while ((await countLeft()) > 0) await sleep(100)
}

/** Credits while the worker is suspended, then lets it go on. */
async function measureBacklog(stage: DrainStage): Promise<Figure[]> {
  const {
    platform: { rpc, children },
    options,
  } = stage
  const { pid } = children.worker
  if (pid === undefined) throw new Error('The worker does not run')
  const block = await readLastBlock(rpc)
  process.kill(pid, 'SIGSTOP')
  let startedAtMs = 0
  let count = 0
  try {
    await credit(stage, options.quick ? 3 : 20)
    // The load generator does not count what it did not wait for.
    count = await stage.countLeft()
  } finally {
    startedAtMs = performance.now()
    process.kill(pid, 'SIGCONT')
  }
  await waitUntilFinal(stage)
  const seconds = (performance.now() - startedAtMs) / 1000
  const sent = await listTransactionsSince(rpc, block)
  const gas = sent.reduce((sum, { gasUsed }) => sum + gasUsed, 0)
  return [
    createAbsoluteFigure({
      row,
      what: `${count.toLocaleString('en')} credits that waited, until all are final on the chain and settled, in ${sent.length} transactions`,
      unit: 'entries/s',
      ours: count / seconds,
      target: atLeast(1_000),
    }),
    createInformativeFigure({
      row,
      what: 'gas a credit, of accounts that the contract knows',
      unit: 'gas',
      ours: gas / count,
    }),
  ]
}

/** Credits while everything works on the same processors, and waits for the rest. */
async function measureSteady(stage: DrainStage): Promise<Figure[]> {
  const startedAtMs = performance.now()
  const count = await credit(stage, stage.options.quick ? 3 : 60)
  const creditedAtMs = performance.now()
  await waitUntilFinal(stage)
  const seconds = (performance.now() - startedAtMs) / 1000
  const inform = (what: string, ours: number) => createInformativeFigure({ row, what, unit: 'entries/s', ours })
  return [
    inform(
      `${count.toLocaleString('en')} credits while the chain follows, of API, worker, signer, node and PostgreSQL on the same processors: accepted`,
      count / ((creditedAtMs - startedAtMs) / 1000),
    ),
    inform('the same, until all are final', count / seconds),
  ]
}

/** Compares entries, lots, balances, accounts and the chain by the operator's command. */
async function createLedgerFigure({ dataDir, rpc }: OwnPlatform): Promise<Figure> {
  const settings = { DATA_DIR: dataDir, ANVIL_RPC_URL: rpc }
  const { json, err } = await runAdminWithSettings(settings, 'ledger', 'verify', '--chain', '--json')
  const differences = json?.['differences'] as unknown as unknown[] | undefined
  if (!differences) throw new Error(`The ledger was not compared: ${err}`)
  return createAbsoluteFigure({
    row,
    what: 'differences that `admin ledger verify --chain` finds then',
    unit: 'differences',
    ours: differences.length,
    target: atMost(0),
  })
}
