import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inEarlier, root, shortName } from '../support/earlier.ts'
import { median } from './figures.ts'

/** How often each commit is measured. */
const runs = 5

/** Answers a second of one run: ours, and those of the bare baseline beside it. */
interface Speed { ours: number; baseline: number }
type Speeds = Map<string, Speed[]>

/** The first line of a row in the last table: what is asked for, the baseline, ours. Each in requests a second. */
const line = /^(\S+) {2,}.+? {2,}([\d,.]+) requests\/s \(raw\) +([\d,.]+) requests\/s/gm
const numberOf = (text = '') => Number(text.replaceAll(',', ''))

/** Rows of a table that an import of one run has. */
const importedRows = 50_000

/** Runs a program of a checkout. @returns what it printed */
async function run(folder: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env },
  })
  return stdout
}

const importTest = 'test/faults/import-million.long.ts'

/** Measures an import on the checkout in a folder, by today's test of it: rows a second beside COPY of the same ones. */
async function measureImport(folder: string): Promise<Speed> {
  if (folder !== root) copyFileSync(join(root, importTest), join(folder, importTest))
  const printed = await run(folder, 'test/support/long.ts', [importTest], { TEST_ROWS: `${importedRows}` })
  const figures = /^ *(\{"residentIdle".*\})$/m.exec(printed)?.[1]
  if (figures === undefined) throw new Error(`The test of imports says nothing of its speed:\n${printed}`)
  const { rowsPerSecond, copyRowsPerSecond } = JSON.parse(figures) as { rowsPerSecond: number; copyRowsPerSecond: number }
  return { ours: rowsPerSecond, baseline: copyRowsPerSecond }
}

/** Measures rows on the checkout in a folder, with the bench that it has itself. */
async function measure(folder: string, rows: readonly string[], speeds: Speeds): Promise<void> {
  if (rows.includes('import')) speeds.set('import', [...speeds.get('import') ?? [], await measureImport(folder)])
  const asked = rows.filter((row) => row !== 'import')
  if (asked.length === 0) return
  const stdout = await run(folder, 'test/bench/run.ts', ['--quick', ...asked])
  const found = new Map([...stdout.slice(stdout.lastIndexOf('after all')).matchAll(line)].map(([, row = '', baseline, ours]) =>
    [row, { ours: numberOf(ours), baseline: numberOf(baseline) }]))
  for (const row of asked) {
    const speed = found.get(row)
    if (!speed) throw new Error(`The bench says nothing of ${row}:\n${stdout}`)
    speeds.set(row, [...speeds.get(row) ?? [], speed])
  }
}

const unitOf = (row: string) => (row === 'import' ? 'rows' : 'requests')
const perSecond = (speeds: readonly Speed[] = []) => Math.round(median(speeds.map(({ ours }) => ours)))
const share = (speeds: readonly Speed[] = []) => Number(median(speeds.map(({ ours, baseline }) => ours / baseline)).toFixed(3))

/**
 * `npm run bench:before -- <commit> <row ...>`: measures rows on an earlier commit and on this one in turn, five times
 * each, and keeps the middle of each in test/figures/before.json. The share of the bare baseline, which is measured beside
 * each run, says most: the speed of the machine is not in it. The row `import` is an import beside COPY of its rows.
 */
async function compare([commit, ...rows]: string[]): Promise<void> {
  if (commit === undefined || rows.length === 0) throw new Error('Which commit, and which rows?')
  const [before, now]: [Speeds, Speeds] = [new Map(), new Map()]
  await inEarlier(commit, async (folder) => {
    for (let run = 1; run <= runs; run++) {
      await measure(folder, rows, before)
      await measure(root, rows, now)
      for (const row of rows) {
        process.stdout.write(`${run} ${row}: before ${perSecond(before.get(row)?.slice(-1))}, now ${perSecond(now.get(row)?.slice(-1))} ${unitOf(row)}/s\n`)
      }
    }
  })
  const figures = rows.map((row) => ({
    row, before: perSecond(before.get(row)), now: perSecond(now.get(row)),
    shareBefore: share(before.get(row)), shareNow: share(now.get(row)),
  }))
  const kept = {
    command: `npm run bench:before -- ${commit} ${rows.join(' ')}`, processors: cpus().length, runs,
    commits: { before: shortName(commit), now: shortName('HEAD') }, figures,
  }
  writeFileSync(join(root, 'test/figures/before.json'), `${JSON.stringify(kept, null, 2)}\n`)
  for (const { row, before: earlier, now: today, shareBefore, shareNow } of figures) {
    const baseline = row === 'import' ? 'COPY' : 'raw'
    process.stdout.write(`${row}: before ${earlier} ${unitOf(row)}/s, ${shareBefore} of ${baseline}; now ${today} ${unitOf(row)}/s, ${shareNow} of ${baseline}\n`)
  }
}

await compare(process.argv.slice(2))
