import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findProgram } from '../../core/embedded/tied.ts'
import { tableOf, type Figure } from './figures.ts'
import { bridgesRow } from './bridges.rows.ts'
import { createRow, getRow, listRow } from './http.rows.ts'
import { jobsRow } from './jobs.rows.ts'
import { keepRows } from './keep.ts'
import { mintRow } from './mint.rows.ts'
import { pagesRow, totalRow } from './pages.rows.ts'
import { pinning } from './pinned.ts'
import { resolveRow } from './resolver.rows.ts'
import { signRow } from './sign.rows.ts'
import { startStand, type Stand } from './stand.ts'
import { startRow } from './start.rows.ts'
import { callRow, listToolsRow } from './tools.rows.ts'

/**
 * `npm run bench -- [--quick] [--profile] [row ...]`: measures against baselines in the same run on the same machine
 * and prints a table. Whole rows go to test/figures/bench.json; `--quick` is for trying the bench itself and keeps
 * nothing, `--profile` shows where the processes spend their time and keeps nothing either.
 */
const rows: Record<string, (stand: Stand) => Promise<Figure[]>> = {
  get: getRow,
  list: listRow,
  resolve: resolveRow,
  pages: pagesRow,
  total: totalRow,
  'tools-call': callRow,
  'tools-list': listToolsRow,
  bridges: bridgesRow,
  create: createRow,
  jobs: jobsRow,
  sign: signRow,
  start: startRow,
  mint: mintRow,
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const load = () =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')

/** The commit that is measured, with a mark when the checkout has changes that are not in it. */
function commit(): string {
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
  const unknown = positionals.filter((name) => !Object.hasOwn(rows, name))
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}`)
  const wanted = Object.entries(rows).filter(([name]) => positionals.length === 0 || positionals.includes(name))
  const measured = commit()
  say(`Commit ${measured}; load average ${load()} before; ${pinning}`)
  const stand = await startStand({ quick, profile })
  const figures: Figure[] = []
  try {
    for (const [name, measure] of wanted) {
      const before = load()
      const found = await measure(stand)
      figures.push(...found)
      say(`\n${name}, load average ${before} before, ${load()} after\n${tableOf(found)}`)
      if (!quick && !profile) keepRows(found, { commit: measured, load: before })
    }
  } finally {
    await stand.stop()
  }
  say(`\nCommit ${measured}; load average ${load()} after all\n\n${tableOf(figures)}`)
}

await main()
process.exit(0)
