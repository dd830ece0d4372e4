import { from, number, table } from './figures.words.ts'

interface Spread { p50: number; max: number }
interface PostgresKills {
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

const seconds = ({ p50, max }: Spread) => `${p50} / ${max} s`

/** Kills of PostgreSQL alone, while its platform goes on. */
export const postgresWriters: Record<string, (text: string) => string> = {
  'postgres-kills': (text) => {
    const { command, kills, recoverySeconds, moments, ...found } = JSON.parse(text) as PostgresKills
    const { acknowledged, lost, twice, processesThatEnded, dataOn } = found
    return `### ${kills} kills with -9 of PostgreSQL alone\n\n${from(command)} Its data lay ${dataOn === 'memory' ? 'in a file system in memory' : 'on the disk'}. Recovery is the time from its
death until the API has stored a new passport. Of ${number(acknowledged)} passports that were acknowledged meanwhile ${number(lost)} were lost and ${number(twice)} stored twice; ${number(processesThatEnded)} other processes ended.\n\n${table(
  ['Killed', 'Kills', 'Recovery p50 / max'],
  [...moments.map((row) => [row.when, row.kills, seconds(row.recoverySeconds)]), ['all', kills, seconds(recoverySeconds)]])}`
  },
}
