import { messageRule, GoogleRefusal, rules } from './rules.ts'
import type { GoogleState, Json, StoredMessage } from './state.ts'

export interface RestRequest {
  method: string
  /** Below `/walletobjects/v1/`. */
  path: string
  body: unknown
}

const missing = (what: string, id: string) =>
  new GoogleRefusal(404, 'NOT_FOUND', `Wallet Object${what} {${id}} not found.`, {
    reason: `${what || 'object'}NotFound`,
  })

/** @throws GoogleRefusal for what belongs to another issuer */
function assertOwn({ issuerId }: GoogleState, id: string): void {
  if (!id.startsWith(`${issuerId}.`)) throw new GoogleRefusal(403, 'PERMISSION_DENIED', 'Permission Denied')
}

function insertClass(state: GoogleState, body: unknown): Json {
  rules.newClass(body, 'loyalty_class')
  const { id } = body as { id: string }
  assertOwn(state, id)
  if (state.classes.has(id))
    throw new GoogleRefusal(409, 'ALREADY_EXISTS', `Wallet Object Class {${id}} already exists.`)
  const made = { ...(body as Json), kind: 'walletobjects#loyaltyClass' }
  state.classes.set(id, made)
  return made
}

function changeClass(state: GoogleState, id: string, body: unknown): Json {
  assertOwn(state, id)
  const found = state.classes.get(id)
  if (!found) throw missing(' Class', id)
  rules.changedClass(body, 'loyalty_class')
  return Object.assign(found, body)
}

function insertObject(state: GoogleState, body: unknown): Json {
  rules.newObject(body, 'loyalty_object')
  const { id, classId, messages = [] } = body as { id: string; classId: string; messages?: StoredMessage[] }
  assertOwn(state, id)
  assertOwn(state, classId)
  if (!state.classes.has(classId)) throw missing(' Class', classId)
  if (state.objects.has(id)) throw new GoogleRefusal(409, 'ALREADY_EXISTS', `Wallet Object {${id}} already exists.`)
  const made = { ...(body as Json), messages, hasUsers: false, kind: 'walletobjects#loyaltyObject' }
  state.objects.set(id, made)
  return made
}

function getObject(state: GoogleState, id: string) {
  assertOwn(state, id)
  const found = state.objects.get(id)
  if (!found) throw missing('', id)
  return found
}

function changeObject(state: GoogleState, id: string, body: unknown): Json {
  const found = getObject(state, id)
  rules.changedObject(body, 'loyalty_object')
  const { notifyPreference, ...members } = body as Json
  if (notifyPreference === 'NOTIFY_ON_UPDATE') notify(state, id, null)
  return Object.assign(found, members)
}

const dayMs = 86_400_000
/** The most notifications of a card in a day. Source: Google Wallet, loyalty cards, "Trigger push notifications". */
const maxNotices = 3

/** Shows a notification on the phones that have a card. @throws GoogleRefusal for the fourth in a day */
function notify(state: GoogleState, object: string, message: StoredMessage | null): void {
  if (!state.objects.get(object)?.hasUsers) return
  const at = state.now()
  const since = at.getTime() - dayMs
  if (state.notices.filter((one) => one.object === object && one.at.getTime() > since).length >= maxNotices)
    throw new GoogleRefusal(403, 'PERMISSION_DENIED', 'QuotaExceededException: too many notifications.', {
      reason: 'quotaExceeded',
    })
  state.notices.push({ object, message, at })
}

function addMessage(state: GoogleState, id: string, body: unknown): Json {
  const found = getObject(state, id)
  rules.addedMessage(body, 'request')
  const { message } = body as { message: StoredMessage }
  messageRule(message, 'request.message')
  if (message.messageType === 'TEXT_AND_NOTIFY') notify(state, id, message)
  // What is sent twice is there twice.
  found.messages.push(message)
  return { resource: found }
}

/** Answers a request to the REST API. @throws GoogleRefusal */
export function answerRest(state: GoogleState, { method, path, body }: RestRequest): Json {
  const [kind = '', id = '', act] = path.split('/').map(decodeURIComponent)
  const route = `${method} ${kind}${id === '' ? '' : '/:id'}${act === undefined ? '' : `/${act}`}`
  switch (route) {
    case 'POST loyaltyClass':
      return insertClass(state, body)
    case 'PATCH loyaltyClass/:id':
      return changeClass(state, id, body)
    case 'POST loyaltyObject':
      return insertObject(state, body)
    case 'GET loyaltyObject/:id':
      return getObject(state, id)
    case 'PATCH loyaltyObject/:id':
      return changeObject(state, id, body)
    case 'POST loyaltyObject/:id/addMessage':
      return addMessage(state, id, body)
    default:
      throw new GoogleRefusal(404, 'NOT_FOUND', `No such method: ${route}`)
  }
}
