import { expect } from 'chai'
import type { Answer, Client } from '../../../support/client.ts'
import { getBody, waitForJob } from '../../dpp/passports/fixtures.ts'

export interface Accepted {
  jobId: string
  operationId: string
  amount: string
  optimisticBalance: string
}

export interface Entry {
  id: string
  operationId: string
  kind: string
  postings: { book: string; owner: string; amount: string }[]
  occurredAt: string
  recordedAt: string
  chain: string
  transactionHash: string | null
}

export const mint = (api: Client, account: string, body: object, headers: Record<string, string> = {}) =>
  api.post(`/v1/loyalty/account/${account}/mint`, body, { headers })
export const burn = (api: Client, account: string, body: object, headers: Record<string, string> = {}) =>
  api.post(`/v1/loyalty/account/${account}/burn`, body, { headers })

/** What an accepted request was answered. */
export function getAccepted(answer: Answer): Accepted {
  expect(answer.status, answer.text).to.equal(202)
  return getBody<Accepted>(answer)
}

/** The entries of an account, the newest first. @param query of the list, such as `filters[kind][eq]=mint` */
export async function listEntries(api: Client, account: string, query = ''): Promise<Entry[]> {
  const answer = await api.get(`/v1/loyalty/account/${account}/ledger?${query}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ data: Entry[] }>(answer).data
}

/** The job of an accepted request once it has ended. */
export const waitForPoints = (api: Client, { jobId }: Accepted) => waitForJob(api, `/v1/jobs/${jobId}`)

export interface Order {
  id: string
  account: string
  kind: string
  points: string
  amount?: string
  currency?: string
  reference: string | null
  status: string
  items: object[]
  rule?: object
  transactionHash: string | null
  createdAt: string
}

/** The orders of an organization, the newest first. @param query of the list, such as `walletId=…` */
export async function listOrders(api: Client, query = ''): Promise<Order[]> {
  const answer = await api.get(`/v1/loyalty/orders?${query}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ data: Order[] }>(answer).data
}
