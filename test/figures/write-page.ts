import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeWriters } from './figures.before.ts'
import { bridgeWriters } from './figures.bridge.ts'
import { faultWriters } from './figures.faults.ts'
import { importWriters } from './figures.imports.ts'
import { ledgerWriters } from './figures.ledger.ts'
import { neighbourWriters } from './figures.neighbours.ts'
import { operatorWriters } from './figures.operator.ts'
import { pageWriters } from './figures.pages.ts'
import { pointsWriters } from './figures.points.ts'
import { postgresWriters } from './figures.postgres.ts'
import { readinessWriters } from './figures.readiness.ts'
import { sizeWriters } from './figures.sizes.ts'
import { formatSource, formatNumber, formatTable } from './figures.format.ts'

/** This script writes core/docs/figures.md from the figures that long test runs store in `test/figures`. */

interface GasFigures {
  command: string
  measured: { what: string; gas: number; limit: number }[]
}
interface FuzzFigures {
  command: string
  seed: number
  calls: number
  operations: number
  byClass: Record<string, number>
  problemsWithoutCode: number
  storedAlthoughRefused: number
  milliseconds: { p50: number; p99: number; max: number }
  bombs: { milliseconds: number }[]
  statements: { calls: number; texts: number; textsAddedByPayloads: number; textsWithPayload: number }[]
}
interface BareInstallFigures {
  command: string
  rows: { name: string; what: string; result: string }[]
}
interface TypedClientFigures {
  command: string
  clients: { client: string; operations: number; called: number; calls: number; mistakesRefused: number }[]
}
interface BenchFigures {
  command: string
  processors: number
  figures: {
    row: string
    what: string
    unit: string
    baseline: { name: string; value: number } | null
    ours: number
    good: boolean
    commit: string
    load: string
    compared: { by: 'ratio' | 'difference' | 'itself'; value: number }
    target: { at: 'least' | 'most'; value: number } | null
  }[]
}

/** Formats a number with three significant digits, or as a whole number from 100 on. */
const formatRough = (value: number) =>
  Math.abs(value) >= 100 ? formatNumber(Math.round(value)) : `${Number(value.toPrecision(3))}`

function createBenchRow({
  what,
  unit,
  baseline,
  ours,
  compared,
  target,
  good,
  commit,
  load,
}: BenchFigures['figures'][number]): string[] {
  const sign = compared.by === 'ratio' ? ' ×' : ` ${unit}`
  return [
    what,
    baseline ? `${formatRough(baseline.value)} ${unit} (${baseline.name})` : '',
    `${formatRough(ours)} ${unit}`,
    compared.by === 'itself' ? '' : `${formatRough(compared.value)}${sign}`,
    target ? `${target.at === 'least' ? '≥' : '≤'} ${formatRough(target.value)}${sign}` : '',
    target ? (good ? 'good' : 'missed') : '',
    `${commit}, ${load}`,
  ]
}

const writers: Record<string, (text: string) => string> = {
  ...bridgeWriters,
  ...ledgerWriters,
  ...importWriters,
  ...beforeWriters,
  ...faultWriters,
  ...neighbourWriters,
  ...operatorWriters,
  ...pageWriters,
  ...pointsWriters,
  ...postgresWriters,
  ...readinessWriters,
  ...sizeWriters,
  // The row `bridges` is left out here, because the bridge has a table of its own.
  bench: (text) => {
    const { command, processors, figures } = JSON.parse(text) as BenchFigures
    return `### Speed, on ${processors} processors\n\n${formatSource(command)} Baselines were measured in the same run: \`raw\` is \`node:http\` and \`pg\` with prepared
statements that answer the same JSON, the key looked up at each request. Of three runs the middle one; limits of requests are off.\n\n${formatTable(
      ['What', 'Baseline', 'Ours', 'Compared', 'Target', '', 'Commit, load average before'],
      figures.filter(({ row }) => row !== 'bridges').map(createBenchRow),
    )}`
  },
  gas: (text) => {
    const { command, measured } = JSON.parse(text) as GasFigures
    return `### Gas of whole transactions\n\n${formatSource(command)}\n\n${formatTable(
      ['What', 'Gas', 'Limit'],
      measured.map((row) => [row.what, formatNumber(row.gas), formatNumber(row.limit)]),
    )}`
  },
  fuzz: (text) => {
    const { command, seed, calls, operations, byClass, milliseconds, bombs, statements, ...all } = JSON.parse(
      text,
    ) as FuzzFigures
    const sum = (read: (row: FuzzFigures['statements'][number]) => number) =>
      formatNumber(statements.reduce((total, row) => total + read(row), 0))
    return `### ${formatNumber(calls)} hostile calls of ${operations} operations, seed ${seed}\n\n${formatSource(command)}\n\n${formatTable(
      ['What', 'Result'],
      [
        [
          'Answers 2xx / 3xx / 4xx / 5xx',
          ['2xx', '3xx', '4xx', '5xx'].map((name) => formatNumber(byClass[name] ?? 0)).join(' / '),
        ],
        ['Refusals without a code', all.problemsWithoutCode],
        ['Refusals after which something was stored', all.storedAlthoughRefused],
        ['Answer after p50 / p99 / max', `${milliseconds.p50} / ${milliseconds.p99} / ${milliseconds.max} ms`],
        [
          `Slowest of ${bombs.length} filters that cost more than they say`,
          `${Math.max(...bombs.map((bomb) => bomb.milliseconds))} ms`,
        ],
        [
          `Texts of statements for ${sum((row) => row.calls)} lists with harmless and with hostile values`,
          sum((row) => row.texts),
        ],
        [
          'Texts that hostile values added / were part of',
          `${sum((row) => row.textsAddedByPayloads)} / ${sum((row) => row.textsWithPayload)}`,
        ],
      ],
    )}`
  },
  'typed-clients': (text) => {
    const { command, clients } = JSON.parse(text) as TypedClientFigures
    return `### Generated clients that call every operation\n\n${formatSource(command)} Both clients are made from the document of the running API and make the same
calls, which are type-checked against what each generator wrote. An operation counts when it answered with success; the
two sign-ins at other providers count when they are refused, because none is set up.\n\n${formatTable(
      ['Client', 'Operations of the document', 'Called', 'Calls in all', 'Mistakes in the code that its types refused'],
      clients.map((one) => [one.client, one.operations, one.called, formatNumber(one.calls), one.mistakesRefused]),
    )}`
  },
  bare: (text) => {
    const { command, rows } = JSON.parse(text) as BareInstallFigures
    return `### A bare Debian\n\n${formatSource(command)}\n\n${formatTable(
      ['Who', 'What', 'Result'],
      rows.map((row) => [row.name, row.what, row.result]),
    )}`
  },
}

const folder = import.meta.dirname
const page = new URL('../../core/docs/figures.md', import.meta.url)
const stored = new Map(
  globSync('{access,campaigns,clients,proof,speed}/*.json', { cwd: folder }).map((path) => [
    basename(path, '.json'),
    path,
  ]),
)
const names = [...stored.keys()].sort()
const parts = await Promise.all(
  [...stored]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(async ([name, path]) => {
      const write = writers[name]
      if (!write) throw new Error(`Nobody knows how to show test/figures/${path}`)
      return write(await readFile(join(folder, path), 'utf8'))
    }),
)
const introduction = `# Figures

The commands named below printed these figures, on a machine with 2 cores, and keep them in \`test/figures\`.
\`npm run figures\` writes this page from there.`

await writeFile(page, `${[introduction, ...parts.map((part) => part.replace(/^### /, '## '))].join('\n\n')}\n`)
process.stdout.write(`core/docs/figures.md shows ${names.join(', ')}\n`)
