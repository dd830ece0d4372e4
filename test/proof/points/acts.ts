import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Client } from '../../support/client.ts'
import type { OwnPlatform } from '../../support/own-platform.ts'
import type { StandIn } from '../../support/pos/pos.ts'
import { webhookSecret, type BoundRestaurant } from '../../support/pos/restaurants.ts'
import { sendSigned } from '../../support/pos/signing.ts'
import { insistUntilAnswered, postUntilAccepted } from '../stage/retried-requests.ts'
import { drawBetween } from '../stage/kill-plans.ts'
import { signInUntilDone } from '../stage/buyers.ts'

/** An order that has to be there once, because a client has its answer. */
export interface ExpectedOrder {
  account: string
  kind: 'mint' | 'burn' | 'order' | 'expire' | 'welcome' | 'assignment'
  /** What the client called it; null for what the platform makes by itself. */
  reference: string | null
  /** Signed. */
  points: number
}

/** What an act was acknowledged with. */
export interface ActReply {
  /** Its job, where the answer names one. */
  job: string | null
  /** What it makes, at once or in time. */
  orders: ExpectedOrder[]
}

/** Where the acts happen. */
export interface PointsStage {
  platform: OwnPlatform
  api: Client
  pos: StandIn
  restaurant: BoundRestaurant
  /** Accounts with points to spend, each with its customer of the restaurant. */
  accounts: readonly { account: string; customer: string }[]
  /** Accounts all of whose points expire: nothing else takes them, so that each mint has an expiry of as many points. */
  expiring: readonly string[]
}

/** What customers do. It is repeated until it is acknowledged, and so has to count once. */
export interface PointsAct {
  name: string
  perform(stage: PointsStage, random: () => number): Promise<ActReply>
}

/** Points of a unit of currency, of a new account, and of an assignment. */
export const earningRules = { ratio: 2, welcomeBonus: 50, assigned: 25 } as const

interface PointsChange {
  account: string
  kind: 'mint' | 'burn'
  /** Signed. */
  points: number
}

/** Milliseconds until points expire: longer than a request takes on a slow machine. */
const expiryDelayMs = 2_000

/** Every other request has an idempotency key and so a transaction of its own; the others share one. */
async function changePoints(
  { api }: PointsStage,
  { account, kind, points, hasKey }: PointsChange & { hasKey: boolean },
): Promise<ActReply> {
  const reference = randomUUID()
  const body = { amount: Math.abs(points), reference }
  const path = `/v1/loyalty/account/${account}/${kind}`
  const headers: Record<string, string> = hasKey ? { 'idempotency-key': randomUUID() } : {}
  const { job } = await postUntilAccepted(api, path, body, headers)
  return { job, orders: [{ account, kind, reference, points }] }
}

/** A restaurant closes an order of a customer, and tells it until it is answered. */
async function orderMeal({ platform, pos, restaurant, accounts }: PointsStage, random: () => number) {
  const { account, customer } = draw(random, accounts)
  const total = drawBetween(random, 1, 90)
  const order = pos.close({
    id: randomUUID(),
    restaurantId: restaurant.restaurantId,
    customer: { id: customer },
    total: `${total}.00`,
  })
  const received = await insistUntilAnswered(() =>
    sendSigned(platform.api, restaurant.urls.orderEnded, order, webhookSecret),
  )
  expect(received.body, received.text).to.deep.equal({ received: true })
  const points = total * earningRules.ratio
  return { job: null, orders: [{ account, kind: 'order' as const, reference: order.id, points }] }
}

/** Gives points that are over a moment later. */
async function mintExpiring({ api, expiring }: PointsStage, random: () => number): Promise<ActReply> {
  const account = draw(random, expiring)
  const [points, reference] = [drawBetween(random, 1, 500), randomUUID()]
  // A time that is over when the request is read is refused, and the reference counts once with whatever time: each try
  // has one of its own.
  const mint = () =>
    insistUntilAnswered(() => {
      const expiresAt = new Date(Date.now() + expiryDelayMs).toISOString()
      return api.post(`/v1/loyalty/account/${account}/mint`, { amount: points, reference, expiresAt })
    })
  let answer = await mint()
  while (answer.status === 422 && answer.body['errors']?.[0]?.['code'] === 'past') answer = await mint()
  expect(answer.status, answer.text).to.equal(202)
  return {
    job: String(answer.body['jobId']),
    orders: [
      { account, kind: 'mint', reference, points },
      { account, kind: 'expire', reference: null, points: -points },
    ],
  }
}

/** Assigns points to somebody who then signs up. */
async function signUp({ platform, api }: PointsStage): Promise<ActReply> {
  const email = `new-${randomUUID()}@people.example`
  const headers = { 'idempotency-key': randomUUID() }
  const body = { application: platform.application, email, optimisticBalance: earningRules.assigned }
  const assigned = await insistUntilAnswered(() => api.post('/v1/account-assignments', body, { headers }))
  expect(assigned.status, assigned.text).to.equal(201)
  const account = await signInUntilDone(platform, email)
  const gifts = { welcome: earningRules.welcomeBonus, assignment: earningRules.assigned }
  return {
    job: null,
    orders: (['welcome', 'assignment'] as const).map((kind) => ({
      account,
      kind,
      reference: null,
      points: gifts[kind],
    })),
  }
}

function draw<T>(random: () => number, all: readonly T[]): T {
  const found = all[drawBetween(random, 0, all.length - 1)]
  if (found === undefined) throw new Error('There is nothing to draw from')
  return found
}

/** The acts that kills come upon, in turn. */
export const pointsActs: readonly PointsAct[] = [
  {
    name: 'mint',
    perform: (stage, random) =>
      changePoints(stage, {
        ...drawAccount(stage, random),
        kind: 'mint',
        points: drawBetween(random, 1, 500),
        hasKey: false,
      }),
  },
  {
    name: 'order of a restaurant',
    perform: orderMeal,
  },
  {
    name: 'burn',
    perform: (stage, random) =>
      changePoints(stage, {
        ...drawAccount(stage, random),
        kind: 'burn',
        points: -drawBetween(random, 1, 20),
        hasKey: false,
      }),
  },
  {
    name: 'expiry',
    perform: mintExpiring,
  },
  {
    name: 'sign-up with an assignment',
    perform: signUp,
  },
  {
    name: 'mint with a key',
    perform: (stage, random) =>
      changePoints(stage, {
        ...drawAccount(stage, random),
        kind: 'mint',
        points: drawBetween(random, 1, 500),
        hasKey: true,
      }),
  },
]

const drawAccount = ({ accounts }: PointsStage, random: () => number) => ({ account: draw(random, accounts).account })
