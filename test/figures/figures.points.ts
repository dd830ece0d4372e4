import { formatNumber, formatSource, formatTable } from './figures.format.ts'

interface Spread {
  p50: number
  max: number
}
interface PointsKillFigures {
  command: string
  seed: number
  kills: number
  acknowledged: number
  lost: number
  twice: number
  differences: number
  acts: string[]
  parts: {
    part: string
    points: { point: string; kills: number }[]
    atAnyMoment: number
    kills: number
    recoverySeconds: Spread
  }[]
}

/** The writers of figures about points while parts of the platform are killed, by the name of their file. */
export const pointsWriters: Record<string, (text: string) => string> = {
  'points-kills': (text) => {
    const { command, seed, kills, acts, parts, ...found } = JSON.parse(text) as PointsKillFigures
    return `### ${formatNumber(kills)} kills with -9 while points are counted (${acts.join(', ')}), seed ${seed}\n\n${formatSource(command)} After each, \`admin ledger verify --chain\` found ${found.differences} differences between
entries, lots, balances, accounts and the chain. Of ${formatNumber(found.acknowledged)} acknowledged orders ${found.lost} were lost and ${found.twice} counted twice.\n\n${formatTable(
      ['Part', 'Kills', 'At named points', 'At any moment', 'All jobs done after p50 / max'],
      parts.map((row) => [
        row.part,
        row.kills,
        row.points.map(({ point, kills: times }) => `${point} ${times}`).join(', '),
        row.atAnyMoment,
        `${row.recoverySeconds.p50} / ${row.recoverySeconds.max} s`,
      ]),
    )}`
  },
}
