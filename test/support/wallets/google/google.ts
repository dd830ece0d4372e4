import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServiceAccount, findTokenObjection, readJwt } from './oauth.ts'
import { answerRest } from './routes.ts'
import { GoogleRefusal } from './rules.ts'
import { createCallbackSigner, type CallbackOptions, type CallbackSigner } from './signer.ts'
import type { GoogleState } from './state.ts'

/** What a callback says. */
export interface CallbackMessage {
  classId: string
  objectId: string
  eventType: 'save' | 'del'
  expTimeMillis: number
  count: number
  nonce: string
}

/** A stand-in of Google Wallet that refuses what the real one refuses: tokens, the REST API, and keys of callbacks. */
export interface GoogleStandIn extends GoogleState {
  url: string
  tokenUrl: string
  keysUrl: string
  signer: CallbackSigner
  /** How often the keys were fetched, and what the answer says about how long they may be kept. */
  keyRequests: number
  keysCacheControl: string | null
  keysAreAway: boolean
  /** Ends all tokens, as when the key of the account is replaced. */
  revokeTokens(): void
  /** Makes what is said of a card, at the present time or another. */
  createMessage(objectId: string, eventType: 'save' | 'del', more?: Partial<CallbackMessage>): CallbackMessage
  /** Signs a message. */
  sign(message: CallbackMessage, options?: CallbackOptions): string
  stop(): Promise<void>
}

/** How long a report is good. */
const messageMs = 7 * 86_400_000

/** Starts the stand-in. */
export async function startGoogle(): Promise<GoogleStandIn> {
  const arrivals: number[] = []
  const server = createServer((message, response) => {
    void answer(google, arrivals, message, response).catch((cause: unknown) => refuse(google, cause, response))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signer = createCallbackSigner()
  let shiftMs = 0
  const google: GoogleStandIn = {
    url,
    tokenUrl: `${url}/token`,
    keysUrl: `${url}/keys`,
    signer,
    issuerId: `3388${String(randomInt(1e9)).padStart(15, '0')}`,
    serviceAccount: createServiceAccount(),
    classes: new Map(),
    objects: new Map(),
    requests: [],
    refusals: [],
    notices: [],
    failures: [],
    tokens: new Map(),
    tokenCount: 0,
    tokenSeconds: 3_599,
    tokenFailures: [],
    requestsPerSecond: 20,
    keyRequests: 0,
    keysCacheControl: 'public, max-age=3600',
    keysAreAway: false,
    now: () => new Date(Date.now() + shiftMs),
    advance(ms) {
      shiftMs += ms
    },
    revokeTokens: () => google.tokens.clear(),
    createMessage(objectId, eventType, more = {}) {
      return {
        classId: String(google.objects.get(objectId)?.['classId']),
        objectId,
        eventType,
        expTimeMillis: Date.now() + messageMs,
        count: 1,
        nonce: randomUUID(),
        ...more,
      }
    },
    sign: (message, options) => signer.sign(message, google.issuerId, options),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return google
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const sendJson = (response: ServerResponse, body: object, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

async function answer(
  google: GoogleStandIn,
  arrivals: number[],
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(message.url ?? '/', google.url)
  const { method = 'GET' } = message
  const sent = await readText(message)
  if (pathname === '/keys') return answerKeys(google, response)
  if (pathname === '/token')
    return answerToken(google, { method, sent, type: message.headers['content-type'] }, response)
  if (!pathname.startsWith('/walletobjects/v1/')) throw new GoogleRefusal(404, 'NOT_FOUND', 'No such address')
  checkToken(google, message.headers.authorization)
  checkRate(google, arrivals)
  if (method !== 'GET' && message.headers['content-type'] !== 'application/json')
    throw new GoogleRefusal(415, 'INVALID_ARGUMENT', 'The body has to be JSON')
  const body = sent === '' ? undefined : (JSON.parse(sent) as unknown)
  const failure = google.failures.shift()
  if (failure === 'down') throw new GoogleRefusal(503, 'UNAVAILABLE', 'The service is currently unavailable.')
  if (failure === 'refused') throw new GoogleRefusal(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.')
  if (failure === 'redirect') return void response.writeHead(307, { location: `${google.url}/elsewhere` }).end()
  const path = pathname.slice('/walletobjects/v1/'.length)
  google.requests.push({ method, path, body })
  const answered = answerRest(google, { method, path, body })
  if (failure === 'lost') return void response.destroy()
  if (failure === 'stuck') return
  if (failure === 'broken') throw new GoogleRefusal(500, 'INTERNAL', 'Internal error encountered.')
  sendJson(response, failure === 'huge' ? { filling: 'x'.repeat(2 * 1024 * 1024) } : answered)
}

function answerKeys(google: GoogleStandIn, response: ServerResponse): void {
  google.keyRequests++
  if (google.keysAreAway) throw new GoogleRefusal(503, 'UNAVAILABLE', 'The service is currently unavailable.')
  const { keysCacheControl: cacheControl } = google
  sendJson(response, { keys: google.signer.keys }, { ...(cacheControl !== null && { 'cache-control': cacheControl }) })
}

function answerToken(
  google: GoogleStandIn,
  { method, sent, type }: { method: string; sent: string; type: string | undefined },
  response: ServerResponse,
): void {
  const failure = google.tokenFailures.shift()
  if (failure === 'down') throw new GoogleRefusal(503, 'UNAVAILABLE', 'Try again.')
  const isForm = method === 'POST' && type === 'application/x-www-form-urlencoded'
  const objection = isForm
    ? findTokenObjection(google.serviceAccount, google.tokenUrl, new URLSearchParams(sent))
    : 'The request has to be a form.'
  if (objection !== null || failure === 'refused') {
    google.refusals.push(`token: ${objection}`)
    const error = { error: 'invalid_grant', error_description: objection ?? 'Account not found' }
    return void response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error))
  }
  const token = `ya29.${randomBytes(40).toString('base64url')}`
  google.tokens.set(token, Date.now() + google.tokenSeconds * 1_000)
  google.tokenCount++
  sendJson(response, { access_token: token, expires_in: google.tokenSeconds, token_type: 'Bearer' })
}

function checkToken({ tokens }: GoogleStandIn, authorization: string | undefined): void {
  const until = tokens.get(authorization?.replace(/^Bearer /, '') ?? '')
  if (until !== undefined && until > Date.now()) return
  throw new GoogleRefusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
}

function checkRate({ requestsPerSecond }: GoogleStandIn, arrivals: number[]): void {
  const now = performance.now()
  while (arrivals[0] !== undefined && arrivals[0] <= now - 1_000) arrivals.shift()
  if (arrivals.length >= requestsPerSecond)
    throw new GoogleRefusal(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.', {
      reason: 'rateLimitExceeded',
      headers: { 'retry-after': '1' },
    })
  arrivals.push(now)
}

function refuse(google: GoogleStandIn, cause: unknown, response: ServerResponse): void {
  const refusal = cause instanceof GoogleRefusal ? cause : new GoogleRefusal(500, 'INTERNAL', String(cause))
  google.refusals.push(`${refusal.status} ${refusal.message}`)
  response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers })
  response.end(JSON.stringify(refusal.body))
}

/** Reads the claims of a link to save a card, as Google's page does. @throws Error for what Google would refuse */
export function readSaveLink(google: GoogleStandIn, link: string): { id: string; classId: string } {
  const [, jwt = ''] = /^https:\/\/pay\.google\.com\/gp\/v\/save\/([\w-]+\.[\w-]+\.[\w-]+)$/.exec(link) ?? []
  if (jwt === '' || jwt.length > 1_800) throw new Error(`No link to save: ${link}`)
  const claims = readJwt(google.serviceAccount, jwt)
  if (!claims) throw new Error('The link is not signed by the service account.')
  const { iss, aud, typ, iat, origins, payload } = claims
  if (iss !== google.serviceAccount.client_email || aud !== 'google' || typ !== 'savetowallet')
    throw new Error(`Wrong claims: ${JSON.stringify(claims)}`)
  if (typeof iat !== 'number' || iat > Date.now() / 1_000 + 60) throw new Error('The link is from the future.')
  if (!Array.isArray(origins) || !origins.every((one) => new URL(String(one)).origin === one))
    throw new Error(`Wrong origins: ${JSON.stringify(origins)}`)
  const { loyaltyObjects: [object, ...more] = [], ...others } = payload as {
    loyaltyObjects?: Record<string, unknown>[]
  }
  if (!object || more.length > 0 || Object.keys(others).length > 0) throw new Error('The link names no single card.')
  const { id, classId, ...members } = object as { id: string; classId: string }
  if (google.objects.get(id)?.['classId'] !== classId)
    throw new Error(`There is no card ${id} of the class ${classId}.`)
  if (Object.keys(members).length > 0) throw new Error('The link says more than which card it is.')
  return { id, classId }
}
