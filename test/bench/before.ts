import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
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

/** Measures rows on the checkout in a folder, with the bench that it has itself. */
async function measure(folder: string, rows: readonly string[], speeds: Speeds): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/bench/run.ts', '--quick', ...rows], {
    cwd: folder, maxBuffer: 64 * 1024 * 1024,
  })
  const found = new Map([...stdout.slice(stdout.lastIndexOf('after all')).matchAll(line)].map(([, row = '', baseline, ours]) =>
    [row, { ours: numberOf(ours), baseline: numberOf(baseline) }]))
  for (const row of rows) {
    const speed = found.get(row)
    if (!speed) throw new Error(`The bench says nothing of ${row}:\n${stdout}`)
    speeds.set(row, [...speeds.get(row) ?? [], speed])
  }
}

const perSecond = (speeds: readonly Speed[] = []) => Math.round(median(speeds.map(({ ours }) => ours)))
const share = (speeds: readonly Speed[] = []) => Number(median(speeds.map(({ ours, baseline }) => ours / baseline)).toFixed(3))

/**
 * `npm run bench:before -- <commit> <row ...>`: measures rows on an earlier commit and on this one in turn, five times
 * each, and keeps the middle of each in test/figures/before.json. The share of the bare baseline, which is measured beside
 * each run, says most: the speed of the machine is not in it.
 */
async function compare([commit, ...rows]: string[]): Promise<void> {
  if (commit === undefined || rows.length === 0) throw new Error('Which commit, and which rows?')
  const [before, now]: [Speeds, Speeds] = [new Map(), new Map()]
  await inEarlier(commit, async (folder) => {
    for (let run = 1; run <= runs; run++) {
      await measure(folder, rows, before)
      await measure(root, rows, now)
      for (const row of rows) {
        process.stdout.write(`${run} ${row}: before ${perSecond(before.get(row)?.slice(-1))}, now ${perSecond(now.get(row)?.slice(-1))} requests/s\n`)
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
    process.stdout.write(`${row}: before ${earlier} requests/s, ${shareBefore} of raw; now ${today} requests/s, ${shareNow} of raw\n`)
  }
}

await compare(process.argv.slice(2))
