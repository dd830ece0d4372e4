import { expect } from 'chai'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { startSecondServer, type SecondServer } from '../../../support/network/second-server.ts'
import { platform } from '../../../support/platform.ts'
import { createStripeId, type StripeSubscription } from '../../../support/stripe/state.ts'
import { startStripe, type StripeStandIn } from '../../../support/stripe/stripe.ts'
import { buildShop, type Shop } from '../../../support/world.ts'
import { getOperator } from '../../identity/people.ts'

/** A server whose provider of billing is the stand-in. */
export interface StripeStage {
  stripe: StripeStandIn
  server: SecondServer
  stop(): Promise<void>
}

export async function buildStripeStage(env: NodeJS.ProcessEnv = {}): Promise<StripeStage> {
  const stripe = await startStripe()
  const server = await startSecondServer(platform, {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
    ...env,
  })
  return {
    stripe,
    server,
    async stop() {
      server.kill()
      await stripe.stop()
    },
  }
}

/** The parts of a process of this test, with the stand-in as provider of billing. */
export async function getStripeOperator({ stripe }: StripeStage) {
  const context = await getOperator()
  const settings = { ...context.settings, stripeSecretKey: stripe.secretKey, stripeApiUrl: stripe.url }
  return { ...context, settings }
}

/** Asks for a portal as a key of the shop. */
export const askPortal = (
  { server }: StripeStage,
  { key }: Shop,
  body: object = {},
  headers: Record<string, string> = {},
) => createApiClient(key, server.api).post('/v1/billing/portal-session', body, { headers })

/** A shop that is a customer at the stand-in. */
export async function buildCustomer(stage: StripeStage): Promise<Shop & { customer: string }> {
  const shop = await buildShop()
  const answer = await askPortal(stage, shop)
  expect(answer.status, answer.text).to.equal(201)
  return { ...shop, customer: stage.stripe.portals.at(-1)?.customer ?? '' }
}

const monthMs = 30 * 86_400_000

/** Adds a subscription to a customer, or changes the one that they have. */
export function subscribe(
  { stripe }: StripeStage,
  customer: string,
  change: Partial<StripeSubscription>,
): StripeSubscription {
  let subscription = stripe.subscriptions.find((one) => one.customer === customer)
  if (!subscription) {
    const periodEnd = new Date(Date.now() + monthMs)
    subscription = { id: createStripeId('sub'), customer, status: 'active', plan: 'growth', periodEnd }
    stripe.subscriptions.push(subscription)
  }
  return Object.assign(subscription, change)
}

/** The body of an event about a subscription, as it was at some time. */
export const createEvent = (
  { id, customer, status }: Pick<StripeSubscription, 'id' | 'customer' | 'status'>,
  { type = 'customer.subscription.updated', event = createStripeId('evt') } = {},
): string =>
  JSON.stringify({
    id: event,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1_000),
    type,
    data: { object: { id, object: 'subscription', customer, status } },
    livemode: false,
    pending_webhooks: 1,
    request: null,
  })

/** Sends an event as Stripe does. @param signature another one than that of the body, or none */
export async function sendEvent(
  { stripe, server }: StripeStage,
  body: string,
  signature: string | null = stripe.sign(body),
): Promise<Answer> {
  return createApiClient({}, server.api).post('/v1/billing/webhooks/stripe', undefined, {
    raw: body,
    headers: signature === null ? {} : { 'stripe-signature': signature },
    skipsDocumentCheck: true,
  })
}
