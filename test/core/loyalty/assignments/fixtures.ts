import { expect } from 'chai'
import type { Answer, Client } from '../../../support/client.ts'
import type { Shop } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { readCodeFor, requestCode } from '../../identity/people.ts'
import { listOrders } from '../points/fixtures.ts'

export interface ShownAssignment {
  id: string
  application: string
  network: string
  email?: string
  phoneNumber?: string
  optimisticBalance: string
  rewardTier?: string
  status: 'pending' | 'consumed'
  createdAt: string
  updatedAt: string
}

export const path = '/v1/account-assignments'

/** Sends an assignment of points in the shop's application. */
export const assign = ({ api, application }: Shop, body: object): Promise<Answer> =>
  api.post(path, { application, optimisticBalance: 25, ...body })

/** Assigns points. @returns the assignment, which is new */
export async function assignNew(shop: Shop, body: object): Promise<ShownAssignment> {
  const answer = await assign(shop, body)
  expect(answer.status, answer.text).to.equal(201)
  return getBody<ShownAssignment>(answer)
}

/** Lists assignments. @param query of the list, such as `filters[status][eq]=consumed` */
export async function listAssignments(api: Client, query = ''): Promise<ShownAssignment[]> {
  const answer = await api.get(`${path}?${query}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ data: ShownAssignment[] }>(answer).data
}

/** Sets the welcome bonus of the shop's application. */
export async function setWelcomeBonus({ api, application }: Shop, welcomeBonus: string | null): Promise<void> {
  const answer = await api.patch(`/v1/applications/${application}`, { loyaltySettings: { welcomeBonus } })
  expect(answer.status, answer.text).to.equal(200)
}

/** What an account has, and what it was given: points by kind, the oldest first. */
export interface ShownGifts {
  points: string
  gifts: string[]
}

export async function readGifts({ api }: Shop, account: string): Promise<ShownGifts> {
  const { status, body, text } = await api.get(`/v1/accounts/${account}`)
  expect(status, text).to.equal(200)
  const orders = await listOrders(api, `walletId=${account}&pageSize=100`)
  return {
    points: String(body['loyalty']?.['optimisticBalance']),
    gifts: orders.map(({ kind, points }) => `${kind} ${points}`).sort(),
  }
}

/** Sends a code to a person. @returns the code */
export async function sendCode({ application }: Shop, email: string): Promise<string> {
  const answer = await requestCode(application, email)
  expect(answer.status, answer.text).to.be.oneOf([200, 202, 204])
  return readCodeFor(email)
}
