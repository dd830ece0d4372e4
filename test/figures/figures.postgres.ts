import { formatSource, formatNumber, formatTable } from './figures.format.ts'

interface Spread {
  p50: number
  max: number
}
interface PostgresKillFigures {
  command: string
  kills: number
  recoverySeconds: Spread
  acknowledged: number
  lost: number
  twice: number
  processesThatEnded: number
  dataOn: 'memory' | 'disk'
  moments: { when: string; kills: number; recoverySeconds: Spread }[]
}

const formatSeconds = ({ p50, max }: Spread) => `${p50} / ${max} s`

/** The writers of figures about kills of PostgreSQL alone while its platform goes on, by the name of their file. */
export const postgresWriters: Record<string, (text: string) => string> = {
  'postgres-kills': (text) => {
    const { command, kills, recoverySeconds, moments, ...found } = JSON.parse(text) as PostgresKillFigures
    const { acknowledged, lost, twice, processesThatEnded, dataOn } = found
    return `### ${kills} kills with -9 of PostgreSQL alone\n\n${formatSource(command)} Its data lay ${dataOn === 'memory' ? 'in a file system in memory' : 'on the disk'}. Recovery is the time from its
death until the API has stored a new passport. Of ${formatNumber(acknowledged)} passports that were acknowledged meanwhile ${formatNumber(lost)} were lost and ${formatNumber(twice)} stored twice; ${formatNumber(processesThatEnded)} other processes ended.\n\n${formatTable(
      ['Killed', 'Kills', 'Recovery p50 / max'],
      [
        ...moments.map((row) => [row.when, row.kills, formatSeconds(row.recoverySeconds)]),
        ['all', kills, formatSeconds(recoverySeconds)],
      ],
    )}`
  },
}
