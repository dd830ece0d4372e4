import { readdir, readFile, writeFile } from 'node:fs/promises'

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
  outages: { outage: string; times: number; secondsAway: Spread; secondsUntilDone: Spread; tokensAtTheEnd: number; duplicates: number; lost: number }[]
}
interface Bare { command: string; rows: { name: string; what: string; result: string }[] }

const number = (value: number) => value.toLocaleString('en')

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')

const from = (command: string) => `Printed by \`${command}\`.`

const writers: Record<string, (text: string) => string> = {
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
      ['When', 'Times', 'Away p50 / max', 'All done after p50 / max', 'Tokens on chain at the end', 'Twice', 'Lost'],
      outages.map((row) => [row.outage, row.times, `${row.secondsAway.p50} / ${row.secondsAway.max} s`,
        `${row.secondsUntilDone.p50} / ${row.secondsUntilDone.max} s`, number(row.tokensAtTheEnd), row.duplicates, row.lost]))}`
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
