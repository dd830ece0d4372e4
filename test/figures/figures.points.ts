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

interface CampaignKillFigures {
  command: string
  seed: number
  kills: number
  rounds: number
  campaigns: number
  deliveries: number
  sent: number
  failed: number
  excluded: number
  held: number
  /** Messages that a newer one replaced on a card before a phone fetched them. */
  replaced: number
  resumed: number
  phones: number
  shown: number
  overCap: number
  twice: number
  forgotten: number
  points: { point: string; kills: number; backSeconds: Spread }[]
}
interface GoogleLimitFigures {
  command: string
  recipients: number
  allowedPerSecond: number
  perSecond: number
  refusedForRate: number
  messagesTwice: number
  recipientsOfDays: number
  days: string[]
}

/** The writers of figures about points and campaigns while parts of the platform are killed, by the name of their file. */
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
  'campaign-kills': (text) => {
    const { command, seed, kills, points, ...found } = JSON.parse(text) as CampaignKillFigures
    const { deliveries, sent, failed, excluded } = found
    return `### ${formatNumber(kills)} kills with -9 of three workers while ${found.campaigns} campaigns are sent, seed ${seed}\n\n${formatSource(command)} Meanwhile the push service throttled, failed and broke off, tokens ended, Redis stopped and forgot, and the clock of the
database went back an hour. Of ${formatNumber(deliveries)} deliveries ${formatNumber(sent)} were sent, ${formatNumber(failed)} failed, ${formatNumber(excluded)} were excluded; ${formatNumber(found.held)} customers were held back; ${formatNumber(found.replaced)} messages were replaced by
newer ones before a phone fetched them. ${found.overCap} cards were
notified more often than their cap, ${found.twice} deliveries came twice, ${found.forgotten} were forgotten; ${found.phones} phones showed ${formatNumber(found.shown)} messages, none twice.
${found.resumed} times a campaign had lost its job and was resumed.\n\n${formatTable(
      ['Point', 'Kills', 'A worker is back after p50 / max'],
      points.map(({ point, kills: times, backSeconds: { p50, max } }) => [point, times, `${p50} / ${max} s`]),
    )}`
  },
  'google-limits': (text) => {
    const { command, recipients, days, ...found } = JSON.parse(text) as GoogleLimitFigures
    return `### ${formatNumber(recipients)} messages within the limits of Google Wallet\n\n${formatSource(command)}\n\n${formatTable(
      ['What', 'Result'],
      [
        ['Messages a second, of those that are allowed', `${found.perSecond} of ${found.allowedPerSecond}`],
        ['Requests that were refused because they were too many', found.refusedForRate],
        ['Messages that stand on a card twice, with workers killed on the way', found.messagesTwice],
        [`Messages of a day to the same ${found.recipientsOfDays} cards`, days.join('; ')],
      ],
    )}`
  },
}
