import { expect } from 'chai'
import type { Answer } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import type { Shop } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'

export interface ShownTier {
  id: string
  application: string
  name: string
  requiredVisits: number
  currencyToPointRatio: number
  bgImageUrl?: string
  createdAt: string
  updatedAt: string
}

export const path = '/v1/loyalty/reward-tiers'
export const getTierPath = (id: string) => `${path}/${id}`

/** Sends a tier of the shop's application. */
export const sendTier = ({ api, application }: Shop, body: object): Promise<Answer> =>
  api.post(path, { application, name: 'Gold', requiredVisits: 10, currencyToPointRatio: 2, ...body })

/** Creates a tier. */
export async function createTier(shop: Shop, body: object): Promise<ShownTier> {
  const answer = await sendTier(shop, body)
  expect(answer.status, answer.text).to.equal(201)
  return getBody<ShownTier>(answer)
}

/** Lists tiers. @param query of the list, such as `filters[name][eq]=Gold` */
export async function listTiers({ api }: Shop, query = ''): Promise<ShownTier[]> {
  const answer = await api.get(`${path}?${query}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ data: ShownTier[] }>(answer).data
}

/** What an account shows of its loyalty. */
export interface ShownLoyalty {
  visits: number
  fixedRewardTier: string | null
  rewardTier: ShownTier | null
  customerId: string | null
  optIn: { apple: boolean; google: boolean }
}

export async function readLoyalty({ api }: Pick<Shop, 'api'>, account: string): Promise<ShownLoyalty> {
  const answer = await api.get(`/v1/accounts/${account}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ loyalty: ShownLoyalty }>(answer).loyalty
}

/** The name of the tier that an account has now. */
export const readTierName = async (shop: Pick<Shop, 'api'>, account: string): Promise<string | null> =>
  (await readLoyalty(shop, account)).rewardTier?.name ?? null

/** The name of the tier that the list of accounts shows of an account. */
export async function readListedTier({ api }: Pick<Shop, 'api'>, account: string): Promise<string | null> {
  const answer = await api.get(`/v1/accounts?filters[id][eq]=${account}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ data: { loyalty: ShownLoyalty }[] }>(answer).data[0]?.loyalty.rewardTier?.name ?? null
}

/** Waits until the list of accounts shows an account with a tier. */
export const waitForListedTier = (shop: Pick<Shop, 'api'>, account: string, name: string | null): Promise<void> =>
  waitUntil(`the list shows the tier ${name}`, async () => (await readListedTier(shop, account)) === name)

/** Sends a change of the loyalty of an account. */
export const changeLoyalty = (
  { api }: Pick<Shop, 'api'>,
  account: string,
  loyalty: object,
  headers: Record<string, string> = {},
): Promise<Answer> => api.patch(`/v1/accounts/${account}`, { loyalty }, { headers })

/** Corrects the visits of an account. */
export async function setVisits(shop: Pick<Shop, 'api'>, account: string, visits: number): Promise<void> {
  const answer = await changeLoyalty(shop, account, { visits })
  expect(answer.status, answer.text).to.equal(200)
}

/** Sets the days that visits count in the shop's application. */
export async function setWindow({ api, application }: Shop, visitsWindowDays: number | null): Promise<void> {
  const answer = await api.patch(`/v1/applications/${application}`, { loyaltySettings: { visitsWindowDays } })
  expect(answer.status, answer.text).to.equal(200)
}
