import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findProgram } from '../../core/embedded/tied-process.ts'
import { formatTable, type Figure } from './figures.ts'
import { measureAccounts } from './rows/accounts.rows.ts'
import { measureBridges } from './rows/bridges.rows.ts'
import { measureConsole } from './rows/console.rows.ts'
import { measureCredits } from './rows/credits.rows.ts'
import { measureMetrics } from './metrics/metrics.rows.ts'
import { measureNotices } from './rows/notices.rows.ts'
import { measureCreate, measureGet, measureList } from './rows/http.rows.ts'
import { measureJobs } from './rows/jobs.rows.ts'
import { storeFigures } from './stored-figures.ts'
import { measureMint } from './rows/mint.rows.ts'
import { measureQuotas } from './rows/quotas.rows.ts'
import { measurePages, measureTotal } from './rows/pages.rows.ts'
import { pinningNote } from './pinned-process.ts'
import { measureResolver } from './rows/resolver.rows.ts'
import { measureSigning } from './rows/sign.rows.ts'
import { startBenchSetup, type BenchOptions, type BenchSetup } from './bench-setup.ts'
import { measurePasses } from './wallets/passes.rows.ts'
import { measureStart } from './rows/start.rows.ts'
import { measureStatement } from './rows/statement.rows.ts'
import { measureToolCall, measureToolList } from './rows/tools.rows.ts'

/**
 * The rows of the bench. `npm run bench -- [--quick] [--profile] [row ...]` measures them against baselines in the same
 * run on the same machine and prints a table. Complete rows are stored in test/figures/speed/bench.json. `--quick` is for
 * trying the bench itself, and `--profile` shows where the processes spend their time; both store nothing.
 */
const rows: Record<string, (stand: BenchSetup) => Promise<Figure[]>> = {
  get: measureGet,
  list: measureList,
  resolve: measureResolver,
  pages: measurePages,
  console: measureConsole,
  total: measureTotal,
  'tools-call': measureToolCall,
  'tools-list': measureToolList,
  bridges: measureBridges,
  create: measureCreate,
  quotas: measureQuotas,
  jobs: measureJobs,
  sign: measureSigning,
  start: measureStart,
  mint: measureMint,
}

/** The rows that start a database of their own. */
const ownRows: Record<string, (options: BenchOptions) => Promise<Figure[]>> = {
  credits: measureCredits,
  notices: measureNotices,
  accounts: measureAccounts,
  statement: measureStatement,
  metrics: measureMetrics,
  passes: measurePasses,
}

const rowNames = [...Object.keys(rows), ...Object.keys(ownRows)]

const printLine = (line: string) => process.stdout.write(`${line}\n`)
const formatLoadAverage = () =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')

/** Returns the measured commit, with a mark if the checkout has uncommitted changes. */
function describeCommit(): string {
  const root = join(import.meta.dirname, '../..')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  if (!findProgram('git') || !existsSync(join(root, '.git'))) return 'unknown'
  const changed = git('status', '--porcelain', '--', 'core', 'bridge', 'tools', 'prompts') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' and changes' : ''}`
}

async function main(): Promise<void> {
  const {
    values: { quick = false, profile = false },
    positionals,
  } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, profile: { type: 'boolean' } },
  })
  const unknown = positionals.filter((name) => !rowNames.includes(name))
  if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}; there are ${rowNames.join(', ')}`)
  const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name)
  const measured = describeCommit()
  printLine(`Commit ${measured}; load average ${formatLoadAverage()} before; ${pinningNote}`)
  const options = { quick, profile }
  const figures: Figure[] = []
  const runRow = async (name: string, measure: () => Promise<Figure[]>) => {
    if (!isWanted(name)) return
    const before = formatLoadAverage()
    const found = await measure()
    figures.push(...found)
    printLine(`\n${name}, load average ${before} before, ${formatLoadAverage()} after\n${formatTable(found)}`)
    if (!quick && !profile) storeFigures(found, { commit: measured, load: before })
  }
  if (Object.keys(rows).some(isWanted)) {
    const stand = await startBenchSetup(options)
    try {
      for (const [name, measure] of Object.entries(rows)) await runRow(name, () => measure(stand))
    } finally {
      await stand.stop()
    }
  }
  for (const [name, measure] of Object.entries(ownRows)) await runRow(name, () => measure(options))
  printLine(`\nCommit ${measured}; load average ${formatLoadAverage()} after all\n\n${formatTable(figures)}`)
}

await main()
process.exit(0)
