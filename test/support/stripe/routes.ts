import { checkParameters, StripeRefusal, type StripeRequest } from './requests.ts'
import { createStripeId, type StripeState, type StripeSubscription } from './state.ts'

type Route = (state: StripeState, request: StripeRequest) => object

const now = () => Math.floor(Date.now() / 1_000)
const daySeconds = 86_400

function assertCustomer({ customers }: StripeState, id: string, param: string): void {
  if (!customers.has(id))
    throw new StripeRefusal(400, { code: 'resource_missing', message: `No such customer: '${id}'`, param })
}

const createCustomer: Route = (state, request) => {
  checkParameters(request, { 'metadata[]': {}, name: {}, email: {}, description: {} })
  const id = createStripeId('cus')
  state.customers.set(id, { ...request.parameters })
  return { id, object: 'customer', created: now(), livemode: false }
}

const createPortal: Route = (state, request) => {
  checkParameters(request, {
    customer: { isRequired: true },
    return_url: { pattern: /^https?:\/\/[^\s]+$/ },
    configuration: {},
    locale: {},
  })
  const { customer = '', return_url: returnUrl } = request.parameters
  assertCustomer(state, customer, 'customer')
  const url = `https://billing.stripe.example/p/session/${createStripeId('test')}`
  state.portals.push({ customer, returnUrl, url })
  return { id: createStripeId('bps'), object: 'billing_portal.session', created: now(), customer, url }
}

const presentSubscription = ({ id, customer, status, plan, periodEnd, reason }: StripeSubscription) => ({
  id,
  object: 'subscription',
  customer,
  status,
  cancellation_details: { reason: reason ?? null, comment: null, feedback: null },
  items: {
    object: 'list',
    has_more: false,
    data: [
      {
        id: createStripeId('si'),
        object: 'subscription_item',
        current_period_end: Math.floor(periodEnd.getTime() / 1_000),
        price: { id: createStripeId('price'), object: 'price', lookup_key: plan },
      },
    ],
  },
})

const listSubscriptions: Route = (state, request) => {
  checkParameters(request, {
    customer: {},
    status: { pattern: /^(all|active|past_due|canceled|ended|unpaid|incomplete|incomplete_expired|trialing|paused)$/ },
    limit: { pattern: /^([1-9]\d?|100)$/ },
    starting_after: {},
  })
  const { customer, status = 'active', limit = '10', starting_after: after } = request.parameters
  if (customer !== undefined) assertCustomer(state, customer, 'customer')
  const all = state.subscriptions.filter(
    (one) => (customer === undefined || one.customer === customer) && (status === 'all' || one.status === status),
  )
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  const data = all.slice(from, from + Number(limit)).map(presentSubscription)
  return { object: 'list', url: '/v1/subscriptions', has_more: from + data.length < all.length, data }
}

const createMeterEvent: Route = (state, request) => {
  checkParameters(request, {
    event_name: { isRequired: true, pattern: /^.{1,100}$/ },
    'payload[stripe_customer_id]': { isRequired: true },
    'payload[value]': { isRequired: true, pattern: /^\d+$/ },
    identifier: { pattern: /^.{1,100}$/ },
    timestamp: { pattern: /^\d+$/ },
  })
  const { event_name = '', identifier = createStripeId('evt'), timestamp = String(now()) } = request.parameters
  const customer = request.parameters['payload[stripe_customer_id]'] ?? ''
  const value = Number(request.parameters['payload[value]'])
  if (!state.meters.has(event_name))
    throw new StripeRefusal(400, {
      code: 'resource_missing',
      message: `No active meter found for event name ${event_name}`,
    })
  assertCustomer(state, customer, 'payload[stripe_customer_id]')
  if (Number(timestamp) < now() - 35 * daySeconds)
    throw new StripeRefusal(400, { code: 'timestamp_too_far_in_past', message: 'The timestamp is older than 35 days.' })
  if (Number(timestamp) > now() + 300)
    throw new StripeRefusal(400, { code: 'timestamp_in_future', message: 'The timestamp is in the future.' })
  // The real API answers no code here.
  if (state.meterEvents.some((one) => one.identifier === identifier))
    throw new StripeRefusal(400, { message: `An event already exists with identifier ${identifier}.` })
  state.meterEvents.push({ event_name, identifier, customer, value, timestamp: Number(timestamp) })
  return { object: 'billing.meter_event', created: now(), event_name, identifier, livemode: false }
}

/** What the stand-in answers. Source: Stripe API reference, 2026-10-28. */
export const routes: Readonly<Record<string, Route>> = {
  'POST /v1/customers': createCustomer,
  'POST /v1/billing_portal/sessions': createPortal,
  'GET /v1/subscriptions': listSubscriptions,
  'POST /v1/billing/meter_events': createMeterEvent,
}
