import { from, number, table } from './figures.words.ts'

interface Import {
  command: string
  processors: number
  residentIdle: number
  residentPeak: number
  rows: number
  columns: number
  megabytes: number
  badRows: number
  copyRowsPerSecond: number
  rowsPerSecond: number
  ratio: number
  ratioFromTheFirstByteSent: number
  residentAtEachTenth: number[]
  /** Nobody has used the server's memory and files before it. */
  firstRound: { rowsPerSecond: number; copyRowsPerSecond: number; ratio: number }
}
interface ImportKills {
  command: string
  kills: number
  rowsEach: number
  rowsOfTheLong: number
  rowsLost: number
  rowsDoubled: number
  places: { name: string; kills: number }[]
}
type Share = [right: number, all: number]
interface Suggestion {
  command: string
  measured: { what: string; files: number; rightAmongHigh: Share; rightAmongReview: Share; found: Share }[]
}

/** Ratio that an import has to reach beside COPY, and the most megabytes of its worker. */
const targets = { ratio: 0.8, resident: 200 }
const verdict = (good: boolean) => (good ? 'good' : 'missed')

/** How the figures of imports are shown, by the name of their file. */
export const importWriters: Record<string, (text: string) => string> = {
  import: (text) => {
    const one = JSON.parse(text) as Import
    return `### An import of ${number(one.rows)} rows of CSV, on ${one.processors} processors\n\n${from(one.command)} The baseline is COPY of the very
rows that were stored, passports and events, into the same tables, empty again, with all indexes, triggers and constraints. Each begins after a minute of rest, in two rounds, of which the second counts.\n\n${table(['What', 'Result'], [
      ['File', `${one.megabytes} MB, ${one.columns} columns, ${number(one.badRows)} bad rows, each reported at its line and no other`],
      ['Rows a second', number(one.rowsPerSecond)],
      ['COPY', `${number(one.copyRowsPerSecond)} a second`],
      [`Compared (≥ ${targets.ratio}), from the first slice / from the first byte sent`,
        `${one.ratio} / ${one.ratioFromTheFirstByteSent} ×, ${verdict(one.ratio >= targets.ratio)}`],
      ['The first round, on a server that has just been made', `${number(one.firstRound.rowsPerSecond)} beside ${number(one.firstRound.copyRowsPerSecond)}: ${one.firstRound.ratio} ×`],
      [`Resident memory of the worker, idle / most (< ${targets.resident})`,
        `${one.residentIdle} / ${one.residentPeak} MB, ${verdict(one.residentPeak < targets.resident)}`],
      ['At each tenth of the file', `${one.residentAtEachTenth.join(', ')} MB`],
    ])}`
  },
  'import-kills': (text) => {
    const { command, places, ...all } = JSON.parse(text) as ImportKills
    return `### ${all.kills} kills with -9 of the worker during imports\n\n${from(command)} At named places of imports of ${number(all.rowsEach)} rows, at
random ones of an import of ${number(all.rowsOfTheLong)}. Rows lost: ${all.rowsLost}; rows stored twice: ${all.rowsDoubled}.\n\n${table(
      ['When', 'Kills'], places.map(({ name, kills }) => [name, kills]))}`
  },
  suggestion: (text) => {
    const { command, measured } = JSON.parse(text) as Suggestion
    const share = ([right, all]: Share) => `${right} of ${all}`
    return `### Mappings suggested without a model, for header rows of exports in five languages\n\n${from(command)} \`headers\` was written before the
matcher, \`headers.more\` by its author, \`headers.blind\` afterwards by somebody who had seen neither.\n\n${table(
      ['Files', 'Number', 'Right where sure (high)', 'Right where likely (review)', 'Columns that go somewhere and were found'],
      measured.map((one) => [one.what, one.files, share(one.rightAmongHigh), share(one.rightAmongReview), share(one.found)]))}`
  },
}
