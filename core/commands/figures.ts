import { readdir, readFile, writeFile } from 'node:fs/promises'
import { beforeWriters } from './figures.before.ts'
import { bridgeWriters } from './figures.bridge.ts'
import { importWriters } from './figures.imports.ts'
import { neighbourWriters } from './figures.neighbours.ts'
import { operatorWriters } from './figures.operator.ts'
import { pageWriters } from './figures.pages.ts'
import { postgresWriters } from './figures.postgres.ts'
import { readinessWriters } from './figures.readiness.ts'
import { sizeWriters } from './figures.sizes.ts'
import { from, number, table } from './figures.words.ts'

/** Writes the figures that the long runs keep in `test/figures` into README.md, between its two marks. */

interface Spread { p50: number; max: number }
interface Gas { command: string; measured: { what: string; gas: number; limit: number }[] }
interface Kills {
  command: string
  seed: number
  kills: number
  points: { flow: string; point: string; process: string; kills: number; recoverySeconds: Spread; tokensExpected: number; tokensFound: number; duplicates: number; lost: number }[]
}
interface Outages {
  command: string
  outages: { outage: string; times: number; secondsAway: Spread; secondsUntilJobsDone: Spread; secondsUntilChainRead: Spread; tokensAtTheEnd: number; duplicates: number; lost: number }[]
}
interface MoreKills {
  command: string
  seed: number
  kills: number
  processes: { process: string; points: string[]; kills: number; goesOnIn: string; recoverySeconds: Spread; tokensExpected: number; tokensFound: number; duplicates: number; lost: number }[]
}
interface Races {
  command: string
  racers: number
  tokensExpected: number
  tokensFound: number
  races: { race: string; rounds: number; won: number; wonAtEachApi: number[]; others: Record<string, number>; seconds: Spread }[]
}
interface Batch { command: string; rows: number; seconds: number; transactions: number; tokensFound: number; duplicates: number; lost: number; events: number }
interface CertifyBatch {
  command: string
  processors: number
  passports: number
  seconds: number
  credentialBytes: { ld: number; jwt: number }
  signatures: number
  signaturesPerSecond: number
  bareEd25519PerSecond: number
  anchors: number
  gas: number
  residentPeakMB: { api: number; worker: number }
}
interface CertifyKills {
  command: string
  kills: number
  passportsEach: number
  places: { name: string; point: string; process: string; kills: number; recoverySeconds: Spread }[]
}
interface CertifyOutages {
  command: string
  passportsEach: number
  outages: { outage: string; times: number; secondsAway: Spread; secondsUntilJobDone: Spread; secondsUntilProven: Spread; roots: number; rootsTwice: number; unproven: number; wrong: number }[]
}
interface Fuzz {
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
interface Bare { command: string; rows: { name: string; what: string; result: string }[] }
interface Bench {
  command: string
  processors: number
  figures: {
    row: string; what: string; unit: string; baseline: { name: string; value: number } | null; ours: number; good: boolean; commit: string; load: string
    compared: { by: 'ratio' | 'difference' | 'itself'; value: number }; target: { at: 'least' | 'most'; value: number } | null
  }[]
}

/** With three digits that say something. */
const rough = (value: number) => Math.abs(value) >= 100 ? number(Math.round(value)) : `${Number(value.toPrecision(3))}`

function benchRow({ what, unit, baseline, ours, compared, target, good, commit, load }: Bench['figures'][number]): string[] {
  const sign = compared.by === 'ratio' ? ' ×' : ` ${unit}`
  return [
    what, baseline ? `${rough(baseline.value)} ${unit} (${baseline.name})` : '', `${rough(ours)} ${unit}`,
    compared.by === 'itself' ? '' : `${rough(compared.value)}${sign}`,
    target ? `${target.at === 'least' ? '≥' : '≤'} ${rough(target.value)}${sign}` : '', target ? (good ? 'good' : 'missed') : '',
    `${commit}, ${load}`,
  ]
}

const writers: Record<string, (text: string) => string> = {
  ...bridgeWriters,
  ...importWriters,
  ...beforeWriters, ...neighbourWriters, ...operatorWriters, ...pageWriters, ...postgresWriters,
  ...readinessWriters, ...sizeWriters,
  // What stands beside others has a table of its own.
  bench: (text) => {
    const { command, processors, figures } = JSON.parse(text) as Bench
    return `### Speed, on ${processors} processors\n\n${from(command)} Baselines were measured in the same run: \`raw\` is \`node:http\` and \`pg\` with prepared
statements that answer the same JSON, the key looked up at each request. Of three runs the middle one; limits of requests are off.\n\n${table(
  ['What', 'Baseline', 'Ours', 'Compared', 'Target', '', 'Commit, load average before'], figures.filter(({ row }) => row !== 'bridges').map(benchRow))}`
  },
  gas: (text) => {
    const { command, measured } = JSON.parse(text) as Gas
    return `### Gas of whole transactions\n\n${from(command)}\n\n${table(['What', 'Gas', 'Limit'], measured.map((row) => [row.what, number(row.gas), number(row.limit)]))}`
  },
  kills: (text) => {
    const { command, seed, kills, points } = JSON.parse(text) as Kills
    return `### ${kills} kills with -9 at named points, seed ${seed}\n\n${from(command)}\n\n${table(
      ['Flow', 'Point', 'Process', 'Kills', 'Recovery p50 / max', 'Tokens accepted', 'On chain', 'Twice', 'Lost'],
      points.map((row) => [row.flow, row.point, row.process, row.kills, `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`,
        number(row.tokensExpected), number(row.tokensFound), row.duplicates, row.lost]))}`
  },
  outages: (text) => {
    const { command, outages } = JSON.parse(text) as Outages
    return `### Parts taken away while passports are minted\n\n${from(command)}\n\n${table(
      ['When', 'Times', 'Away p50 / max', 'Jobs done after p50 / max', 'Whole chain found right after p50 / max', 'Tokens on chain at the end', 'Twice', 'Lost'],
      outages.map((row) => [row.outage, row.times, `${row.secondsAway.p50} / ${row.secondsAway.max} s`,
        `${row.secondsUntilJobsDone.p50} / ${row.secondsUntilJobsDone.max} s`, `${row.secondsUntilChainRead.p50} / ${row.secondsUntilChainRead.max} s`, number(row.tokensAtTheEnd), row.duplicates, row.lost]))}`
  },
  'more-kills': (text) => {
    const { command, seed, kills, processes } = JSON.parse(text) as MoreKills
    return `### ${kills} kills in two APIs and two workers, of which the other goes on, seed ${seed}\n\n${from(command)}\n\n${table(
      ['Process', 'Points', 'Kills', 'Goes on in', 'Recovery p50 / max', 'Tokens accepted', 'On chain', 'Twice', 'Lost'],
      processes.map((row) => [row.process, row.points.join('; '), row.kills, row.goesOnIn, `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`,
        number(row.tokensExpected), number(row.tokensFound), row.duplicates, row.lost]))}`
  },
  races: (text) => {
    const { command, racers, races, tokensExpected, tokensFound } = JSON.parse(text) as Races
    return `### ${racers} requests of one moment to two APIs\n\n${from(command)} Tokens that were won: ${number(tokensExpected)}; on the chain, once each: ${number(tokensFound)}.\n\n${table(
      ['What', 'Rounds', 'Rounds with exactly one winner', 'Won at either API', 'The others were told', 'A round p50 / max'],
      races.map((row) => [row.race, row.rounds, row.won, row.wonAtEachApi.join(' / '),
        Object.entries(row.others).map(([word, times]) => `${word} ${number(times)}`).join(', '), `${row.seconds.p50} / ${row.seconds.max} s`]))}`
  },
  batch: (text) => {
    const { command, ...row } = JSON.parse(text) as Batch
    return `### One batch of ${number(row.rows)} passports\n\n${from(command)} The chain was read by plain \`eth_getLogs\`.\n\n${table(
      ['Rows', 'Seconds', 'Transactions', 'Tokens on chain', 'Twice', 'Lost', 'Events'],
      [[number(row.rows), row.seconds, row.transactions, number(row.tokensFound), row.duplicates, row.lost, number(row.events)]])}`
  },
  'certify-batch': (text) => {
    const { command, processors, residentPeakMB, credentialBytes, ...row } = JSON.parse(text) as CertifyBatch
    return `### ${number(row.passports)} passports published and certified in both forms by one job, on ${processors} processors\n\n${from(command)} Every passport
has one version, under one root that the chain tells of once; receipts are confirmed by the contract.\n\n${table(['What', 'Result'], [
      ['From request to completed', `${row.seconds} s, ${number(Math.round(row.passports / row.seconds))} passports a second`],
      ['Bytes of a credential, embedded proof / JWT', `${number(credentialBytes.ld)} / ${number(credentialBytes.jwt)}`],
      ['Signatures', `${number(row.signatures)}, ${number(row.signaturesPerSecond)} a second of the whole job; bare Ed25519 beside it ${number(row.bareEd25519PerSecond)} a second`],
      ['Roots, gas of the transaction', `${row.anchors}, ${number(row.gas)}`],
      ['Resident peak, API / worker', `${residentPeakMB.api} / ${residentPeakMB.worker} MB`],
    ])}`
  },
  'certify-kills': (text) => {
    const { command, kills, passportsEach, places } = JSON.parse(text) as CertifyKills
    return `### ${kills} kills with -9 while ${number(passportsEach)} passports are published and certified\n\n${from(command)} After each: one root, told once
by the chain, every passport certified, none without or with two versions, each event once.\n\n${table(
      ['When', 'Point', 'Process', 'Kills', 'Recovery p50 / max'],
      places.map((row) => [row.name, row.point, row.process, row.kills, `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`]))}`
  },
  'certify-outages': (text) => {
    const { command, passportsEach, outages } = JSON.parse(text) as CertifyOutages
    return `### Parts taken away while ${number(passportsEach)} passports are published and certified\n\n${from(command)} After each, the batch of then and
all before it were held against the chain: versions, events, receipts by the contract itself.\n\n${table(
      ['When', 'Times', 'Away p50 / max', 'Job done after p50 / max', 'All receipts right after p50 / max', 'Roots on chain at the end', 'Twice', 'Receipts not confirmed', 'Passports wrong'],
      outages.map((row) => [row.outage, row.times, `${row.secondsAway.p50} / ${row.secondsAway.max} s`,
        `${row.secondsUntilJobDone.p50} / ${row.secondsUntilJobDone.max} s`, `${row.secondsUntilProven.p50} / ${row.secondsUntilProven.max} s`,
        row.roots, row.rootsTwice, row.unproven, row.wrong]))}`
  },
  fuzz: (text) => {
    const { command, seed, calls, operations, byClass, milliseconds, bombs, statements, ...all } = JSON.parse(text) as Fuzz
    const sum = (read: (row: Fuzz['statements'][number]) => number) => number(statements.reduce((total, row) => total + read(row), 0))
    return `### ${number(calls)} hostile calls of ${operations} operations, seed ${seed}\n\n${from(command)}\n\n${table(['What', 'Result'], [
      ['Answers 2xx / 3xx / 4xx / 5xx', ['2xx', '3xx', '4xx', '5xx'].map((name) => number(byClass[name] ?? 0)).join(' / ')],
      ['Refusals without a code', all.problemsWithoutCode],
      ['Refusals after which something was stored', all.storedAlthoughRefused],
      ['Answer after p50 / p99 / max', `${milliseconds.p50} / ${milliseconds.p99} / ${milliseconds.max} ms`],
      [`Slowest of ${bombs.length} filters that cost more than they say`, `${Math.max(...bombs.map((bomb) => bomb.milliseconds))} ms`],
      [`Texts of statements for ${sum((row) => row.calls)} lists with harmless and with hostile values`, sum((row) => row.texts)],
      ['Texts that hostile values added / were part of', `${sum((row) => row.textsAddedByPayloads)} / ${sum((row) => row.textsWithPayload)}`],
    ])}`
  },
  bare: (text) => {
    const { command, rows } = JSON.parse(text) as Bare
    return `### A bare Debian\n\n${from(command)}\n\n${table(['Who', 'What', 'Result'], rows.map((row) => [row.name, row.what, row.result]))}`
  },
}

const folder = new URL('../../test/figures/', import.meta.url)
const readme = new URL('../../README.md', import.meta.url)
const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).map((name) => name.replace('.json', '')).sort()
const parts = await Promise.all(names.map(async (name) => {
  const write = writers[name]
  if (!write) throw new Error(`Nobody knows how to show test/figures/${name}.json`)
  return write(await readFile(new URL(`${name}.json`, folder), 'utf8'))
}))
const [start, end] = ['<!-- figures -->', '<!-- /figures -->']
const text = await readFile(readme, 'utf8')
await writeFile(readme, `${text.slice(0, text.indexOf(start) + start.length)}\n\n${parts.join('\n\n')}\n\n${text.slice(text.indexOf(end))}`)
process.stdout.write(`README.md shows ${names.join(', ')}\n`)
