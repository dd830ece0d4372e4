import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface ImportFigures {
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
  /** Figures of the first round, on a server whose memory and files nobody has used before. */
  firstRound: { rowsPerSecond: number; copyRowsPerSecond: number; ratio: number }
}
interface ImportKillFigures {
  command: string
  kills: number
  rowsEach: number
  rowsOfTheLong: number
  rowsLost: number
  rowsDoubled: number
  places: { name: string; kills: number }[]
}
type Share = [right: number, all: number]
interface SuggestionFigures {
  command: string
  measured: { what: string; files: number; rightAmongHigh: Share; rightAmongReview: Share; found: Share }[]
}

/** Minimum ratio between an import and COPY, and maximum memory of the import's worker in megabytes. */
const targets = { ratio: 0.8, resident: 200 }
const formatVerdict = (good: boolean) => (good ? 'good' : 'missed')

/** The writers of figures of imports, by the name of their file. */
export const importWriters: Record<string, (text: string) => string> = {
  import: (text) => {
    const one = JSON.parse(text) as ImportFigures
    return `### An import of ${formatNumber(one.rows)} rows of CSV, on ${one.processors} processors\n\n${formatSource(one.command)} The baseline is COPY of the very
rows that were stored, passports and events, into the same tables, empty again, with all indexes, triggers and constraints. Each begins after a minute of rest, in two rounds, of which the second counts.\n\n${formatTable(
      ['What', 'Result'],
      [
        [
          'File',
          `${one.megabytes} MB, ${one.columns} columns, ${formatNumber(one.badRows)} bad rows, each reported at its line and no other`,
        ],
        ['Rows a second', formatNumber(one.rowsPerSecond)],
        ['COPY', `${formatNumber(one.copyRowsPerSecond)} a second`],
        [
          `Compared (≥ ${targets.ratio}), from the first slice / from the first byte sent`,
          `${one.ratio} / ${one.ratioFromTheFirstByteSent} ×, ${formatVerdict(one.ratio >= targets.ratio)}`,
        ],
        [
          'The first round, on a server that has just been made',
          `${formatNumber(one.firstRound.rowsPerSecond)} beside ${formatNumber(one.firstRound.copyRowsPerSecond)}: ${one.firstRound.ratio} ×`,
        ],
        [
          `Resident memory of the worker, idle / most (< ${targets.resident})`,
          `${one.residentIdle} / ${one.residentPeak} MB, ${formatVerdict(one.residentPeak < targets.resident)}`,
        ],
        ['At each tenth of the file', `${one.residentAtEachTenth.join(', ')} MB`],
      ],
    )}`
  },
  'import-kills': (text) => {
    const { command, places, ...all } = JSON.parse(text) as ImportKillFigures
    return `### ${all.kills} kills with -9 of the worker during imports\n\n${formatSource(command)} At named places of imports of ${formatNumber(all.rowsEach)} rows, at
random ones of an import of ${formatNumber(all.rowsOfTheLong)}. Rows lost: ${all.rowsLost}; rows stored twice: ${all.rowsDoubled}.\n\n${formatTable(
      ['When', 'Kills'],
      places.map(({ name, kills }) => [name, kills]),
    )}`
  },
  suggestion: (text) => {
    const { command, measured } = JSON.parse(text) as SuggestionFigures
    const share = ([right, all]: Share) => `${right} of ${all}`
    return `### Mappings suggested without a model, for header rows of exports in five languages\n\n${formatSource(command)} \`headers\` was written before the
matcher, \`headers.more\` by its author, \`headers.blind\` afterwards by somebody who had seen neither.\n\n${formatTable(
      [
        'Files',
        'Number',
        'Right where sure (high)',
        'Right where likely (review)',
        'Columns that go somewhere and were found',
      ],
      measured.map((one) => [
        one.what,
        one.files,
        share(one.rightAmongHigh),
        share(one.rightAmongReview),
        share(one.found),
      ]),
    )}`
  },
}
