import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { bindRestaurant, webhookSecret, type BoundRestaurant } from '../../../support/pos/restaurants.ts'
import type { StandIn, StandInOrder } from '../../../support/pos/pos.ts'
import { sendSigned } from '../../../support/pos/signing.ts'
import { repeatUntil } from '../../../support/processes.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { createEmail, signInBuyer } from '../../identity/people.ts'
import { getAccountId } from '../accounts/accounts.maker.ts'

/** A shop with a restaurant that is bound to the stand-in. */
export interface Restaurant extends BoundRestaurant {
  shop: Shop
  base: string
}

/** Binds a new restaurant of a new shop, whose orders earn 2 points a unit. @param base of an API that may call the POS */
export async function buildRestaurant(pos: StandIn, base: string): Promise<Restaurant> {
  const shop = await buildShop()
  await setRatio(shop, 2)
  return { ...(await bindRestaurant(pos, base, shop)), shop, base }
}

/** Sets how many points a unit of currency earns in the application of a shop; null: it sets none. */
export async function setRatio({ api, application }: Shop, currencyToPointRatio: number | null): Promise<void> {
  const rated = await api.patch(`/v1/applications/${application}`, {
    loyaltySettings: { currency: 'EUR', currencyToPointRatio },
  })
  expect(rated.status, rated.text).to.equal(200)
}

export const sendEnded = ({ base, urls }: Restaurant, order: StandInOrder) =>
  sendSigned(base, urls.orderEnded, order, webhookSecret)
export const sendRefunded = ({ base, urls }: Restaurant, order: StandInOrder) =>
  sendSigned(base, urls.orderRefunded, order, webhookSecret)

/** Signs a new customer in. */
export async function buildCustomer({ shop }: Restaurant, email = createEmail('guest')) {
  const account = getAccountId(await signInBuyer(shop.application, email))
  return { account, email, customer: { id: `C-${randomUUID()}`, email } }
}

export async function readLoyalty({ shop }: Pick<Restaurant, 'shop'>, account: string) {
  const answer = await shop.api.get(`/v1/accounts/${account}`)
  expect(answer.status, answer.text).to.equal(200)
  return getBody<{ loyalty: Record<string, unknown> }>(answer).loyalty
}

/** Waits until an account has these points. @returns what it has of loyalty */
export const waitForPoints = (restaurant: Pick<Restaurant, 'shop'>, account: string, points: string) =>
  repeatUntil(
    `the account has ${points} points`,
    () => readLoyalty(restaurant, account),
    (loyalty) => loyalty['optimisticBalance'] === points,
  )
