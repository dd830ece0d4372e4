import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface SpeedComparison {
  command: string
  processors: number
  runs: number
  commits: { before: string; now: string }
  figures: { row: string; before: number; now: number; shareBefore: number | null; shareNow: number | null }[]
}

/** The writers of figures that compare an earlier commit with the present one, by the name of their file. */
export const beforeWriters: Record<string, (text: string) => string> = {
  before: (text) => {
    const { command, processors, runs, commits, figures } = JSON.parse(text) as SpeedComparison
    return `### Speed beside an earlier commit, on ${processors} processors\n\n${formatSource(command)} The middle of ${runs} runs in turn, of ${commits.before} and of
${commits.now}, in requests a second (an import: rows, a mint and certify: passports) and, where the row has a bare baseline that is
measured beside each run, as a share of it: \`node:http\` and \`pg\`, for an import COPY of its rows.\n\n${formatTable(
      ['Row', 'Before', 'Share of raw', 'Now', 'Share of raw'],
      figures.map(({ row, before, now, shareBefore, shareNow }) => [
        row,
        formatNumber(before),
        shareBefore ?? '–',
        formatNumber(now),
        shareNow ?? '–',
      ]),
    )}`
  },
}
