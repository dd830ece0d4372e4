import { expect } from 'chai'
import { registry } from '../../../../core/app/registry.ts'
import type { Answer, Client } from '../../../support/client.ts'
import { insertCardHolders } from '../../../support/rows/loyalty/cards.ts'
import { waitUntil } from '../../../support/processes.ts'
import type { Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'

export const path = '/v1/loyalty/campaigns'

/** A campaign as the API shows it. */
export interface ShownCampaign {
  id: string
  application: string
  name: string
  description: string | null
  channels: string[]
  targeting: Record<string, unknown>
  content: { headline: string; body: string } | null
  status: 'draft' | 'scheduled' | 'sending' | 'sent' | 'finished'
  sendAt: string | null
  scheduledImmediately: boolean
  audienceSize: number | null
  conversionWindowDays: number
  sentAt: string | null
  finishedAt: string | null
  createdAt: string
  updatedAt: string
  isStranded?: boolean
  scheduleJobLost?: boolean
  jobId?: string
}

export const content = { headline: 'Autumn is here', body: 'Twice the points until Sunday.' }

/** Sends a draft for Apple's cards. */
export const draft = ({ api, application }: Shop, body: object = {}): Promise<Answer> =>
  api.post(path, { application, name: 'Autumn', channels: ['apple-wallet'], content, ...body })

/** Creates a draft for Apple's cards. */
export async function createDraft(shop: Shop, body: object = {}): Promise<ShownCampaign> {
  const answer = await draft(shop, body)
  expect(answer.status, answer.text).to.equal(201)
  return getBody<ShownCampaign>(answer)
}

export async function readCampaign(api: Client, id: string): Promise<ShownCampaign> {
  const answer = await api.get(`${path}/${id}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<ShownCampaign>(answer)
}

/** Sends an act on a campaign, such as `send`. */
export const act = (api: Client, id: string, verb: string, body: object = {}): Promise<Answer> =>
  api.post(`${path}/${id}/${verb}`, body)

/** Does an act on a campaign that has to be accepted. */
export async function doAct(api: Client, id: string, verb: string, body: object = {}): Promise<ShownCampaign> {
  const answer = await act(api, id, verb, body)
  expect(answer.status, answer.text).to.be.oneOf([200, 202])
  return getBody<ShownCampaign>(answer)
}

/** Waits until a campaign is in a state. */
export async function waitForState(api: Client, id: string, status: ShownCampaign['status']): Promise<ShownCampaign> {
  let found: ShownCampaign | undefined
  await waitUntil(`the campaign is ${status}`, async () => {
    found = await readCampaign(api, id)
    return found.status === status
  })
  return found!
}

export interface ShownStats {
  deliveries: Record<'pending' | 'sent' | 'failed' | 'excludedFrequencyCap' | 'excludedOptOut', number>
  recipientsNotified: number
  recipientsVisited: number
  conversionRate: number | null
  holdout: { size: number; visited: number; rate: number | null } | null
  lift: number | null
}

export async function readStats(api: Client, id: string): Promise<ShownStats> {
  const answer = await api.get(`${path}/${id}/stats`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<ShownStats>(answer)
}

export interface ShownPreview {
  matching: number
  reachableNow: number
  withheld: number
  fullAvailabilityAt: string | null
}

export async function preview(
  { api, application }: Shop,
  targeting: object = {},
  channels: readonly string[] = ['apple-wallet'],
): Promise<ShownPreview> {
  const answer = await api.post(`${path}/audience-preview`, { application, targeting, channels })
  expect(answer.status, answer.text).to.equal(200)
  return getBody<ShownPreview>(answer)
}

/** Gives new accounts of the shop a card in Apple Wallet. @returns their ids */
export async function addHolders(shop: Shop, count: number, channel = 'apple-wallet' as const): Promise<string[]> {
  const { db } = await getOperator()
  return insertCardHolders(db, { organization: shop.organization, application: shop.application, count, channel })
}

/** Creates a draft, sends it, and waits until all of it has an outcome. */
export async function sendNew(shop: Shop, body: object = {}): Promise<ShownCampaign> {
  const { id } = await createDraft(shop, body)
  const started = await doAct(shop.api, id, 'send')
  return started.status === 'finished' ? started : waitForState(shop.api, id, 'sent')
}

/** Runs what the worker does every hour for campaigns. */
export async function runCampaignUpkeep(): Promise<void> {
  const tasks = registry.upkeep.filter(({ name }) => name.startsWith('campaigns '))
  expect(tasks.length).to.equal(2)
  for (const { run } of tasks) await run(await getOperator())
}

/** The status and code of an answer, with the paths of what is wrong. */
export const listFaults = (answer: Answer): string =>
  [
    formatVerdict(answer),
    ...(getBody<{ errors?: { path: string; code: string }[] }>(answer).errors ?? []).map(
      ({ path: at, code }) => `${at}: ${code}`,
    ),
  ].join(', ')
