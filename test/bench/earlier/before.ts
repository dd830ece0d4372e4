import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import {
  isEarlierCommit,
  readCommittedFile,
  readShortCommit,
  root,
  runInEarlierCommit,
} from '../../support/earlier-commit.ts'
import { computeMedian } from '../figures.ts'

/** How often each commit is measured. */
const runCount = 5

/** Answers a second of one run: ours, and those of the baseline beside it; null for a row without one. */
interface Speed {
  ours: number
  baseline: number | null
}
type Speeds = Map<string, Speed[]>

/** A line of a row in the last table that has answers or tokens a second: what is asked for, the baseline if any, ours. */
const resultLine =
  /^(\S+) {2,}(.+?) {2,}(?:([\d,.]+) requests\/s \((?:raw|direct REST)\) +)?([\d,.]+) (?:requests|tokens)\/s/gm
/** For rows with several lines: the beginning of the line that counts. For other rows, the first line counts. */
const mainLines: Readonly<Record<string, string>> = { 'tools-call': 'tools/call of a passport, 2026' }
const parseNumber = (text = '') => Number(text.replaceAll(',', ''))

/** Runs a program of a checkout. @returns what it printed */
async function runProgram(
  folder: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
  })
  return stdout
}

/** A row that a commit's own long test measures. Its baseline is the machine's own speed at what the row does most. */
interface TestedRow {
  test: string
  /** How much the test shall do in one run. */
  env: Readonly<Record<string, string>>
  unit: string
  baseline: string
  /** A commit that repaired the test: earlier ones get the test as it is there. */
  repairedIn?: string
  readSpeed: (folder: string, printed: string) => Speed
}

const testedRows: Readonly<Record<string, TestedRow>> = {
  import: {
    test: 'import-million.long.ts',
    env: { TEST_ROWS: '50000' },
    unit: 'rows',
    baseline: 'COPY',
    // Until then the test looked for members of a passport that the events of drafts do not have.
    repairedIn: '6466044',
    readSpeed: (_folder, printed) => {
      const figures = /^ *(\{"residentIdle".*\})$/m.exec(printed)?.[1]
      if (figures === undefined) throw new Error(`The test of imports says nothing of its speed:\n${printed}`)
      const { rowsPerSecond, copyRowsPerSecond } = JSON.parse(figures) as {
        rowsPerSecond: number
        copyRowsPerSecond: number
      }
      return { ours: rowsPerSecond, baseline: copyRowsPerSecond }
    },
  },
  certify: {
    test: 'certify-batch.long.ts',
    env: { TEST_PASSPORTS: '2000' },
    unit: 'passports',
    baseline: 'Ed25519',
    readSpeed: (folder) => {
      const text = readFileSync(findFile(folder, 'certify-batch.json'), 'utf8')
      const { passportsPerSecond, bareEd25519PerSecond } = JSON.parse(text) as {
        passportsPerSecond: number
        bareEd25519PerSecond: number
      }
      return { ours: passportsPerSecond, baseline: bareEd25519PerSecond }
    },
  },
}

/** Finds a file of the tests in a checkout: its folder is not the same in every commit. */
function findFile(folder: string, name: string): string {
  const [found] = globSync(`test/**/${name}`, { cwd: folder })
  if (found === undefined) throw new Error(`That commit has no ${name}`)
  return join(folder, found)
}

/** Gives the checkout of an earlier commit the test of a row as it was repaired later. */
function repairTest(folder: string, commit: string, { test, repairedIn }: TestedRow): void {
  if (repairedIn === undefined || !isEarlierCommit(commit, repairedIn)) return
  const path = findFile(folder, test)
  writeFileSync(path, readCommittedFile(repairedIn, relative(folder, path)))
}

const maxTestAttempts = 3

/** Measures a row by the long test of the checkout in a folder. What such a test keeps in this checkout is put back. */
async function measureByTest(folder: string, row: TestedRow): Promise<Speed> {
  const path = findFile(folder, row.test)
  for (const name of Object.keys(row.env)) {
    // The names of the test's support files are not those of every commit.
    if (!readFileSync(path, 'utf8').includes(name)) throw new Error(`In that commit ${row.test} does not know ${name}`)
  }
  const keptFiles = new Map(
    globSync('test/figures/**/*.json', { cwd: folder }).map((file) => [file, readFileSync(join(folder, file))]),
  )
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const printed = await runProgram(folder, 'test/support/long.ts', [relative(folder, path)], row.env)
        return row.readSpeed(folder, printed)
      } catch (cause) {
        if (attempt === maxTestAttempts) throw cause
        process.stdout.write(`${row.test} failed in ${folder} and runs once more: ${String(cause).slice(0, 200)}\n`)
      }
    }
  } finally {
    for (const [file, content] of keptFiles) writeFileSync(join(folder, file), content)
  }
}

/** Measures rows on the checkout in a folder, with the bench that it has itself. */
async function measureRows(folder: string, rows: readonly string[], speeds: Speeds): Promise<void> {
  for (const row of rows) {
    const testedRow = testedRows[row]
    if (testedRow) speeds.set(row, [...(speeds.get(row) ?? []), await measureByTest(folder, testedRow)])
  }
  const benchRows = rows.filter((row) => testedRows[row] === undefined)
  if (benchRows.length === 0) return
  const stdout = await runProgram(folder, 'test/bench/run.ts', ['--quick', ...benchRows])
  const lines = [...stdout.slice(stdout.lastIndexOf('after all')).matchAll(resultLine)].map(
    ([, row, what = '', baseline, ours]) => ({
      row,
      what,
      speed: { ours: parseNumber(ours), baseline: baseline === undefined ? null : parseNumber(baseline) },
    }),
  )
  for (const row of benchRows) {
    const { speed } = lines.find((line) => line.row === row && line.what.startsWith(mainLines[row] ?? '')) ?? {}
    if (!speed) throw new Error(`The bench says nothing of ${row}:\n${stdout}`)
    speeds.set(row, [...(speeds.get(row) ?? []), speed])
  }
}

const getUnit = (row: string) => testedRows[row]?.unit ?? (row === 'mint' ? 'tokens' : 'requests')
const getMedianSpeed = (speeds: readonly Speed[] = []) => Math.round(computeMedian(speeds.map(({ ours }) => ours)))
function getMedianShare(speeds: readonly Speed[] = []): number | null {
  const shares = speeds.flatMap(({ ours, baseline }) => (baseline === null ? [] : [ours / baseline]))
  return shares.length === 0 ? null : Number(computeMedian(shares).toFixed(3))
}

const reportFile = join(root, 'test/figures/speed/before.json')

interface CommitPair {
  before: string
  now: string
}

interface RowFigures {
  row: string
  before: number
  now: number
  shareBefore: number | null
  shareNow: number | null
}

/** Returns the figures of rows that were measured between the same two commits before: each row takes minutes. */
function readKeptFigures({ before, now }: CommitPair): RowFigures[] {
  const { commits, figures } = JSON.parse(readFileSync(reportFile, 'utf8')) as {
    commits: CommitPair
    figures: RowFigures[]
  }
  return commits.before === before && commits.now === now ? figures : []
}

/**
 * `npm run bench:before -- <commit> <row ...>`: measures rows on an earlier commit and on this one in turn, five times
 * each, and keeps the middle of each in test/figures/speed/before.json. The share of the bare baseline, which is measured beside
 * each run, says most: the speed of the machine is not in it. The row `import` is an import beside COPY of its rows,
 * `certify` a job that certifies passports beside as many signatures of Ed25519 as one processor makes.
 */
async function compareCommits([commit, ...rows]: string[]): Promise<void> {
  if (commit === undefined || rows.length === 0) throw new Error('Which commit, and which rows?')
  const [before, now]: [Speeds, Speeds] = [new Map(), new Map()]
  await runInEarlierCommit(commit, async (folder) => {
    for (const row of rows) if (testedRows[row]) repairTest(folder, commit, testedRows[row])
    for (let run = 1; run <= runCount; run++) {
      await measureRows(folder, rows, before)
      await measureRows(root, rows, now)
      for (const row of rows) {
        process.stdout.write(
          `${run} ${row}: before ${getMedianSpeed(before.get(row)?.slice(-1))}, now ${getMedianSpeed(now.get(row)?.slice(-1))} ${getUnit(row)}/s\n`,
        )
      }
    }
  })
  const figures: RowFigures[] = rows.map((row) => ({
    row,
    before: getMedianSpeed(before.get(row)),
    now: getMedianSpeed(now.get(row)),
    shareBefore: getMedianShare(before.get(row)),
    shareNow: getMedianShare(now.get(row)),
  }))
  const commits = { before: readShortCommit(commit), now: readShortCommit('HEAD') }
  const kept = readKeptFigures(commits).filter(({ row }) => !rows.includes(row))
  const all = [...kept, ...figures]
  const report = {
    command: `npm run bench:before -- ${commit} ${all.map(({ row }) => row).join(' ')}`,
    processors: cpus().length,
    runs: runCount,
    commits,
    figures: all,
  }
  writeFileSync(reportFile, `${JSON.stringify(report, null, 2)}\n`)
  for (const { row, before: earlier, now: today, shareBefore, shareNow } of figures) {
    const baseline = testedRows[row]?.baseline ?? (row === 'tools-call' ? 'REST' : 'raw')
    const formatShare = (share: number | null) => (share === null ? '' : `, ${share} of ${baseline}`)
    process.stdout.write(
      `${row}: before ${earlier} ${getUnit(row)}/s${formatShare(shareBefore)}; now ${today} ${getUnit(row)}/s${formatShare(shareNow)}\n`,
    )
  }
}

await compareCommits(process.argv.slice(2))
