import { createHash } from 'node:crypto'
import { isObject } from '../../../../kernel/json/values.ts'
import { createPostponement, type GoogleAnswer, type GoogleFailure, type GoogleOutcome } from './outcomes.ts'
import { GoogleSilenceError, sendGoogleRequest, type GoogleRequest } from './requests.ts'
import type { GoogleClass, GoogleObject, ShownMembers } from './templates.ts'
import { createTokenSource, type TokenOptions } from './tokens.ts'

export interface GoogleClientOptions extends TokenOptions {
  /** Address of the Wallet API, without a path. */
  url: string
  /** How long one answer may take, in milliseconds. */
  timeoutMs?: number
}

/** A message that notifies the phones that have a card. */
export interface GoogleMessage {
  /** Identifier of the card at Google. */
  object: string
  /** Our identifier, by which the message is found again. */
  id: string
  headline: string
  body: string
}

/** What Google says about a card. */
export interface ReadCard {
  /** Identifiers of its messages. */
  messages: string[]
  /** Whether a person has it. */
  hasUsers: boolean
}

export interface GoogleClient {
  /** Makes the class of an application's cards, or changes it. What this client sent before is not sent again. */
  ensureClass(cardClass: GoogleClass): Promise<GoogleOutcome>
  /** Makes a card, or changes what it shows. Nobody is notified. */
  upsertObject(object: GoogleObject): Promise<GoogleOutcome>
  /** Changes what a card shows. Nobody is notified: `notifyPreference` is left out. */
  patchObject(id: string, members: ShownMembers): Promise<GoogleOutcome>
  readObject(id: string): Promise<{ status: 'found'; card: ReadCard } | GoogleFailure>
  /**
   * Adds a message and notifies. `unknown`: it may be there already, which `readObject` tells. More than three in 24
   * hours are refused for a card. Source: Google Wallet, loyalty cards, "Trigger push notifications".
   */
  addMessage(message: GoogleMessage): Promise<GoogleOutcome>
}

/** What an answer says, or the outcome that it stands for. */
type Reply = { status: 'answered'; answer: GoogleAnswer } | GoogleFailure

const sent: GoogleOutcome = { status: 'sent' }

/** Creates a client of the Wallet API for one service account. Source: Google Wallet API, REST v1. */
export function createGoogleClient(options: GoogleClientOptions): GoogleClient {
  const tokens = createTokenSource(options)
  const base = `${options.url.replace(/\/+$/, '')}/walletobjects/v1`
  /** What the classes were when they were sent last. */
  const sentClasses = new Map<string, string>()

  /** Sends a request with a token; one that is refused for its token is sent once more with a new one. */
  async function call(method: GoogleRequest['method'], path: string, body?: object): Promise<Reply> {
    for (let isRepeated = false; ; isRepeated = true) {
      const token = await tokens.getToken()
      if (token.status !== 'ready') return token
      const reply = await send({
        method,
        url: `${base}/${path}`,
        headers: {
          authorization: `Bearer ${token.token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
      })
      if (reply.status !== 'answered' || reply.answer.status !== 401) return reply
      tokens.dropToken(token.token)
      if (isRepeated) return { status: 'failed', code: 'UNAUTHENTICATED' }
    }
  }

  /** Makes a resource, or changes it if it is there. */
  async function upsert(kind: string, created: { id: string }, changed: object): Promise<GoogleOutcome> {
    const made = await call('POST', kind, created)
    if (made.status !== 'answered' || made.answer.status !== 409) return toOutcome(made)
    return toOutcome(await call('PATCH', `${kind}/${encodeURIComponent(created.id)}`, changed))
  }

  return {
    async ensureClass(cardClass) {
      const print = createHash('sha256').update(JSON.stringify(cardClass)).digest('hex')
      if (sentClasses.get(cardClass.id) === print) return sent
      const outcome = await upsert('loyaltyClass', cardClass, cardClass)
      if (outcome.status === 'sent') sentClasses.set(cardClass.id, print)
      return outcome
    },
    async upsertObject(object) {
      // A change of the messages would replace those that were sent.
      const { id, messages, ...members } = object
      const outcome = await upsert('loyaltyObject', object, members)
      // The class that we sent before is gone, or was another issuer's.
      if (outcome.status === 'failed' && outcome.isGone) sentClasses.delete(object.classId)
      return outcome
    },
    patchObject: async (id, members) =>
      toOutcome(await call('PATCH', `loyaltyObject/${encodeURIComponent(id)}`, members)),
    async readObject(id) {
      const reply = await call('GET', `loyaltyObject/${encodeURIComponent(id)}`)
      const outcome = toOutcome(reply)
      if (outcome.status !== 'sent') return outcome
      return { status: 'found', card: readCard(reply.status === 'answered' ? reply.answer.body : null) }
    },
    async addMessage({ object, id, headline, body }) {
      const message = { id, header: headline, body, messageType: 'TEXT_AND_NOTIFY' }
      const reply = await call('POST', `loyaltyObject/${encodeURIComponent(object)}/addMessage`, { message })
      return toOutcome(reply, false)
    },
  }
}

async function send(request: GoogleRequest): Promise<Reply> {
  try {
    return { status: 'answered', answer: await sendGoogleRequest(request) }
  } catch (cause) {
    if (!(cause instanceof GoogleSilenceError)) throw cause
    return cause.mayBeDone ? { status: 'unknown' } : createPostponement(null)
  }
}

/** Statuses after which a request may have been carried out. */
const unclearStatuses: ReadonlySet<number> = new Set([500, 502, 504])
/** Until when a card takes no message after three in a day is not said; the caller keeps count. */
const quotaSeconds = 3_600

/** @param isRepeatable whether the request does the same when it is carried out twice */
function toOutcome(reply: Reply, isRepeatable = true): GoogleOutcome {
  if (reply.status !== 'answered') return reply
  const { status, retryAfter, body } = reply.answer
  if (status >= 200 && status < 300) return sent
  if (status === 429) return createPostponement(retryAfter, 1)
  if (status === 403 && isQuota(body)) return createPostponement(retryAfter, quotaSeconds)
  if (status >= 500 && !isRepeatable && unclearStatuses.has(status)) return { status: 'unknown' }
  if (status >= 500 || status === 408) return createPostponement(retryAfter)
  return { status: 'failed', code: readCode(reply.answer), ...(status === 404 && { isGone: true }) }
}

/** Reads the error of an answer. Source: Google API design guide, AIP-193. */
function readError(body: unknown): Record<string, unknown> {
  const error = isObject(body) ? body['error'] : undefined
  return isObject(error) ? error : {}
}

/** Whether a refusal is one of too many requests, not of a missing permission. */
function isQuota(body: unknown): boolean {
  const { errors, status, message } = readError(body)
  const reasons = Array.isArray(errors) ? errors.map((one) => (isObject(one) ? one['reason'] : undefined)) : []
  return [...reasons, status, message].some(
    (text) => typeof text === 'string' && /quota_?exceeded|rate_?limit_?exceeded|RESOURCE_EXHAUSTED/i.test(text),
  )
}

function readCode({ status, body }: GoogleAnswer): string {
  const word = readError(body)['status']
  return typeof word === 'string' && /^[A-Z][A-Z_]{0,59}$/.test(word) ? word : `HTTP_${status}`
}

function readCard(body: unknown): ReadCard {
  const { messages, hasUsers } = isObject(body) ? body : {}
  return {
    messages: (Array.isArray(messages) ? messages : []).flatMap((one: unknown) =>
      isObject(one) && typeof one['id'] === 'string' ? [one['id']] : [],
    ),
    hasUsers: hasUsers === true,
  }
}
