import { randomUUID } from 'node:crypto'
import type { Client } from '../../support/client.ts'
import { postUntilAccepted, type JobReply } from '../stage/retried-requests.ts'
import { drawBetween } from '../stage/kill-plans.ts'

/** Something that a client was told is done: an order of an account, and its points. */
export interface AcknowledgedOrder {
  account: string
  reference: string
  /** Signed. */
  points: number
}

/** An acknowledged order, and how it was answered. */
export interface ActReply extends JobReply {
  order: AcknowledgedOrder
}

/** What customers do with points. It is repeated until it is acknowledged, and so has to count once. */
export interface PointsAct {
  name: string
  perform(api: Client, account: string, random: () => number): Promise<ActReply>
}

/** Every other request has an idempotency key and so a transaction of its own; the others share one. */
async function changePoints(
  api: Client,
  { account, kind, points, hasKey }: { account: string; kind: 'mint' | 'burn'; points: number; hasKey: boolean },
): Promise<ActReply> {
  const reference = randomUUID()
  const body = { amount: Math.abs(points), reference }
  const path = `/v1/loyalty/account/${account}/${kind}`
  const headers: Record<string, string> = hasKey ? { 'idempotency-key': randomUUID() } : {}
  return { ...(await postUntilAccepted(api, path, body, headers)), order: { account, reference, points } }
}

/** The acts that kills come upon, in turn. */
export const pointsActs: readonly PointsAct[] = [
  {
    name: 'mint',
    perform: (api, account, random) =>
      changePoints(api, { account, kind: 'mint', points: drawBetween(random, 1, 500), hasKey: false }),
  },
  {
    name: 'mint with a key',
    perform: (api, account, random) =>
      changePoints(api, { account, kind: 'mint', points: drawBetween(random, 1, 500), hasKey: true }),
  },
  {
    name: 'burn',
    perform: (api, account, random) =>
      changePoints(api, { account, kind: 'burn', points: -drawBetween(random, 1, 20), hasKey: false }),
  },
]
