import { from, number, table } from './figures.words.ts'

interface Before {
  command: string
  processors: number
  runs: number
  commits: { before: string; now: string }
  figures: { row: string; before: number; now: number; shareBefore: number; shareNow: number }[]
}

/** Writes how fast an earlier commit was beside the present one. */
export const beforeWriters: Record<string, (text: string) => string> = {
  before: (text) => {
    const { command, processors, runs, commits, figures } = JSON.parse(text) as Before
    return `### Speed beside an earlier commit, on ${processors} processors\n\n${from(command)} The middle of ${runs} runs in turn, of ${commits.before} and of
${commits.now}, in requests a second (an import: rows a second) and as a share of the bare baseline that is measured beside
each run: \`node:http\` and \`pg\`, for an import COPY of its rows.\n\n${table(
      ['Row', 'Before', 'Share of raw', 'Now', 'Share of raw'],
      figures.map(({ row, before, now, shareBefore, shareNow }) => [row, number(before), shareBefore, number(now), shareNow]))}`
  },
}
