import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readStripeRequest, StripeRefusal, type StripeRequest } from './requests.ts'
import { routes } from './routes.ts'
import { createStripeId, type StripeState } from './state.ts'

/** A stand-in of Stripe that refuses what the real one refuses. */
export interface StripeStandIn extends StripeState {
  url: string
  secretKey: string
  webhookSecret: string
  requests: StripeRequest[]
  /** Why it refused requests. */
  refusals: string[]
  /** What becomes of the next requests: an error before anything was done, or a lost answer after it was. */
  failures: ('down' | 'lost')[]
  /** What answers wait for, once they are made. */
  hold: Promise<void> | null
  /** Signs the body of an event. Source: Stripe, webhooks, "Verify webhook signatures manually". */
  sign(body: string, options?: { secret?: string; at?: Date }): string
  /** Forgets the idempotency keys, as after a day. */
  forgetKeys(): void
  stop(): Promise<void>
}

/** Starts the stand-in. */
export async function startStripe(): Promise<StripeStandIn> {
  const kept = new Map<string, { request: string; status: number; body: string }>()
  const server = createServer((message, response) => {
    void readStripeRequest(message, stripe.secretKey)
      .then((request) => answer(stripe, kept, request, response))
      .catch((cause: unknown) => refuse(stripe, cause, response))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stripe: StripeStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey: createStripeId('sk_test'),
    webhookSecret: createStripeId('whsec'),
    customers: new Map(),
    subscriptions: [],
    meters: new Set(['loyalty.activeUsers']),
    meterEvents: [],
    portals: [],
    requests: [],
    refusals: [],
    failures: [],
    hold: null,
    sign(body, { secret = stripe.webhookSecret, at = new Date() } = {}) {
      const seconds = Math.floor(at.getTime() / 1_000)
      return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
    },
    forgetKeys: () => kept.clear(),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return stripe
}

async function answer(
  stripe: StripeStandIn,
  kept: Map<string, { request: string; status: number; body: string }>,
  request: StripeRequest,
  response: ServerResponse,
): Promise<void> {
  stripe.requests.push(request)
  const failure = stripe.failures.shift()
  if (failure === 'down') throw new StripeRefusal(500, { type: 'api_error', message: 'Something went wrong.' })
  const { method, path, parameters, idempotencyKey } = request
  const signature = JSON.stringify([method, path, parameters])
  const earlier = method === 'POST' && idempotencyKey !== null ? kept.get(idempotencyKey) : undefined
  if (earlier && earlier.request !== signature)
    throw new StripeRefusal(400, {
      type: 'idempotency_error',
      message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    })
  const handle = routes[`${method} ${path}`]
  if (!handle) throw new StripeRefusal(404, { message: `Unrecognized request URL (${method}: ${path}).` })
  const body = earlier ? earlier.body : JSON.stringify(handle(stripe, request))
  // What is refused for its parameters is not kept. Source: Stripe API, "Idempotent requests".
  if (idempotencyKey !== null) kept.set(idempotencyKey, { request: signature, status: 200, body })
  if (stripe.hold) await stripe.hold
  if (failure === 'lost') return void response.destroy()
  response.writeHead(200, {
    'content-type': 'application/json',
    'request-id': createStripeId('req'),
    ...(earlier && { 'idempotent-replayed': 'true' }),
  })
  response.end(body)
}

function refuse(stripe: StripeStandIn, cause: unknown, response: ServerResponse): void {
  const refusal =
    cause instanceof StripeRefusal ? cause : new StripeRefusal(500, { type: 'api_error', message: String(cause) })
  stripe.refusals.push(`${refusal.status} ${refusal.message}`)
  response.writeHead(refusal.status, { 'content-type': 'application/json', 'request-id': createStripeId('req') })
  response.end(JSON.stringify(refusal.body))
}
