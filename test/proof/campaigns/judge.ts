import { expect } from 'chai'
import type { Client } from '../../support/client.ts'
import type { ShownCampaign, ShownStats } from '../../core/loyalty/campaigns/fixtures.ts'
import type { NoticedCard } from '../../support/rows/loyalty/cards.ts'
import { readUntilAnswered } from '../stage/retried-requests.ts'

const dayMs = 86_400_000

/** A line of the export of a campaign. */
export interface ExportedDelivery {
  account: string
  channel: string
  status: string
  reason: string
  code: string
}

/** What a campaign came to, as its owner sees it. */
export interface CampaignOutcome {
  id: string
  deliveries: ExportedDelivery[]
  stats: ShownStats
}

const tallies: readonly [keyof ShownStats['deliveries'], (line: ExportedDelivery) => boolean][] = [
  ['pending', ({ status }) => status === 'pending'],
  ['sent', ({ status }) => status === 'pushed' || status === 'fetched'],
  ['failed', ({ status }) => status === 'failed'],
  ['excludedFrequencyCap', ({ status, reason }) => status === 'excluded' && reason === 'frequency_cap'],
  ['excludedOptOut', ({ status, reason }) => status === 'excluded' && reason === 'opt_out'],
]

/**
 * Reads what came of a campaign of one channel that has ended, and checks that it agrees with itself: each account has one
 * outcome, the tallies are those of the export, and deliveries and those held back are the audience.
 */
export async function judgeCampaign(api: Client, id: string): Promise<CampaignOutcome> {
  const path = `/v1/loyalty/campaigns/${id}`
  const campaign = (await readUntilAnswered(api, path)).body as unknown as ShownCampaign
  expect(campaign).to.include({ status: 'sent', isStranded: false, scheduleJobLost: false })
  const stats = (await readUntilAnswered(api, `${path}/stats`)).body as unknown as ShownStats
  const { text } = await readUntilAnswered(api, `${path}/deliveries/export`)
  const deliveries = text.trim().split('\r\n').slice(1).map(readLine)
  const places = deliveries.map(({ account, channel }) => `${account} ${channel}`)
  expect(new Set(places).size, 'one outcome for each account and channel').to.equal(places.length)
  const counted = Object.fromEntries(tallies.map(([name, isOne]) => [name, deliveries.filter(isOne).length]))
  expect(stats.deliveries, 'the tallies and the lines of the export').to.deep.equal(counted)
  expect(stats.deliveries.pending).to.equal(0)
  expect(deliveries.length + (stats.holdout?.size ?? 0), 'the audience').to.equal(campaign.audienceSize)
  return { id, deliveries, stats }
}

function readLine(line: string): ExportedDelivery {
  const [account = '', , channel = '', status = '', reason = '', code = ''] = line.split(',')
  return { account, channel, status, reason, code }
}

/** Whether a message was put on the card: what is not excluded has it, also where no phone could be told. */
export const isNoted = ({ status }: ExportedDelivery) => status !== 'excluded'
export const isSent = ({ status }: ExportedDelivery) => status === 'pushed' || status === 'fetched'

/** Counts for each account how many of its deliveries are such. */
export function countByAccount(
  outcomes: readonly CampaignOutcome[],
  isSuch: (line: ExportedDelivery) => boolean,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { deliveries } of outcomes)
    for (const line of deliveries) if (isSuch(line)) counts.set(line.account, (counts.get(line.account) ?? 0) + 1)
  return counts
}

/** The most notices of a card in any 24 hours. */
export function countMostInADay({ notices }: NoticedCard): number {
  const times = notices.toSorted((a, b) => a - b)
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + dayMs).length))
}

/** Counts the notices of a card since a moment. */
export const countNoticesSince = ({ notices }: NoticedCard, ms: number) => notices.filter((at) => at >= ms).length
