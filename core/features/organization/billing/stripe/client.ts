import type Stripe from 'stripe'
import { UnavailableError } from '../../../../kernel/unavailable.ts'
import type { Context } from '../../../../kernel/work.ts'

type Settings = Context['settings']

/** Timeout of a call, in milliseconds. Somebody waits for most of them. */
const callTimeoutMs = 10_000
/** The most seconds that a signature may be old. */
const signatureSeconds = 300
/** The most subscriptions of a customer that are read. */
const maxSubscriptions = 300

const clients = new WeakMap<Settings, Promise<Stripe>>()

const loadLibrary = async () => (await import('stripe')).default

/** Returns the client of these settings. The library is loaded with the first call. @throws UnavailableError without a key */
function getClient(settings: Settings): Promise<Stripe> {
  let client = clients.get(settings)
  if (!client) clients.set(settings, (client = createClient(settings)))
  return client
}

async function createClient({ stripeSecretKey, stripeApiUrl }: Settings): Promise<Stripe> {
  if (stripeSecretKey === undefined) throw new UnavailableError('This platform has no provider of billing.')
  const library = await loadLibrary()
  const address = stripeApiUrl === undefined ? null : new URL(stripeApiUrl)
  return new library(stripeSecretKey, {
    // A redirect would carry the key to another host.
    httpClient: library.createFetchHttpClient((url, init) => fetch(url, { ...init, redirect: 'error' })),
    timeout: callTimeoutMs,
    // Whoever calls decides what is sent again, and when.
    maxNetworkRetries: 0,
    telemetry: false,
    ...(address && {
      protocol: address.protocol === 'http:' ? 'http' : 'https',
      host: address.hostname,
      port: address.port || (address.protocol === 'http:' ? 80 : 443),
    }),
  })
}

/** Runs a call. @throws UnavailableError for whatever comes instead of its answer */
async function call<T>(settings: Settings, run: (stripe: Stripe) => Promise<T>): Promise<T> {
  try {
    return await run(await getClient(settings))
  } catch (cause) {
    if (cause instanceof UnavailableError) throw cause
    throw new UnavailableError('The provider of billing does not answer as one.', { cause })
  }
}

/**
 * Creates the customer of an organization, once a day at most: the same call within 24 hours has the same answer.
 * @returns its identifier @throws UnavailableError
 */
export async function createCustomer(settings: Settings, organization: string): Promise<string> {
  const options = { idempotencyKey: `tessera-customer-${organization}` }
  const { id } = await call(settings, (stripe) => stripe.customers.create({ metadata: { organization } }, options))
  return id
}

/** Creates the address of the provider's page for a customer. @returns it with the time of its creation @throws UnavailableError */
export async function createPortalPage(
  settings: Settings,
  { customer, returnUrl }: { customer: string; returnUrl: string },
): Promise<{ url: string; createdAt: Date }> {
  const { url, created } = await call(settings, (stripe) =>
    stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }),
  )
  return { url, createdAt: new Date(created * 1_000) }
}

/** A subscription, as far as it decides a plan. */
export interface Subscription {
  id: string
  status: string
  /** The names that its prices have for us. */
  lookupKeys: readonly string[]
  /** The end of the period that is paid, or being paid. */
  periodEnd: Date
  /** Whether it ended because nothing was paid. */
  isUnpaid: boolean
}

/** Reads the subscriptions of a customer, those that have ended too. @throws UnavailableError */
export async function listSubscriptions(settings: Settings, customer: string): Promise<Subscription[]> {
  const all = await call(settings, (stripe) =>
    stripe.subscriptions.list({ customer, status: 'all', limit: 100 }).autoPagingToArray({ limit: maxSubscriptions }),
  )
  return all.map(({ id, status, items, cancellation_details: end }) => ({
    id,
    status,
    lookupKeys: items.data.flatMap(({ price }) => price.lookup_key ?? []),
    periodEnd: new Date(Math.max(0, ...items.data.map((item) => item.current_period_end)) * 1_000),
    isUnpaid: status === 'unpaid' || end?.reason === 'payment_failed',
  }))
}

/** Units past a limit that a customer pays for. */
export interface UnitsReport {
  /** Our identifier, which the provider takes once. */
  id: string
  customer: string
  /** The name of the event of its meter. */
  meter: string
  units: number
  at: Date
}

/** What became of a report: taken now or before, refused as it is, or nobody knows. */
export type ReportOutcome = 'taken' | 'refused' | 'unclear'

/**
 * Reports units. The same report may be sent again for 24 hours and counts once.
 * Source: Stripe API, billing meter events, `identifier`
 */
export async function reportUnits(
  settings: Settings,
  { id, customer, meter, units, at }: UnitsReport,
): Promise<{ outcome: ReportOutcome; cause?: unknown }> {
  const event = {
    event_name: meter,
    payload: { stripe_customer_id: customer, value: String(units) },
    identifier: id,
    timestamp: Math.floor(at.getTime() / 1_000),
  }
  try {
    const stripe = await getClient(settings)
    await stripe.billing.meterEvents.create(event, { idempotencyKey: id })
    return { outcome: 'taken' }
  } catch (cause) {
    return { outcome: await classifyFailure(cause), cause }
  }
}

/** Statuses by which nothing was taken, although the same request may be taken later. */
const postponedStatuses = [401, 403, 409, 429]

async function classifyFailure(cause: unknown): Promise<ReportOutcome> {
  const { errors } = await loadLibrary()
  if (!(cause instanceof errors.StripeError)) return cause instanceof UnavailableError ? 'refused' : 'unclear'
  const { statusCode = 0, code, message } = cause
  // The API names the code in its reference, and leaves it out of some answers.
  if (code === 'duplicate_meter_event' || /^An event already exists with identifier/.test(message)) return 'taken'
  return statusCode === 400 || statusCode === 404 || postponedStatuses.includes(statusCode) ? 'refused' : 'unclear'
}

/**
 * Checks the signature of an event, and that it is not older than 5 minutes.
 * @param header value of `Stripe-Signature` @returns whether it is the provider's
 */
export async function isSignedEvent(
  { stripeWebhookSecret }: Settings,
  bytes: Buffer,
  header: string | string[] | undefined,
): Promise<boolean> {
  if (stripeWebhookSecret === undefined || typeof header !== 'string') return false
  const library = await loadLibrary()
  try {
    library.webhooks.constructEvent(bytes, header, stripeWebhookSecret, signatureSeconds)
    return true
  } catch (cause) {
    // What is signed and no event is refused as a body.
    return !(cause instanceof library.errors.StripeSignatureVerificationError)
  }
}
