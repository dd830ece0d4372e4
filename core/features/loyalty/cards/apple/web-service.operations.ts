import { answerBytes, answerJson, answerText, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { list, object, optional, string } from '../../../../kernel/schema.ts'
import { registerDevice, unregisterDevice } from '../cards.ts'
import { isKnownDevice } from '../registrations.store.ts'
import { takeLogs } from './log.ts'
import { passType as mediaType } from './press.ts'
import { listUpdatedPasses } from './updates.list.ts'
import { findHolder, parseDate, updatePass } from './web-service.ts'

/*
 * What phones call to keep passes up to date. Phones know it from the pass, and nobody else calls it, so the document
 * leaves it out. Source: Apple, "Adding a Web Service to Update Passes", and the pages of its five endpoints.
 */

const tag = 'Cards'
const base = '/v1/apple-wallet/v1'
const device = string('The phone, as it names itself.', { pattern: '^[A-Za-z0-9._~-]{1,128}$' })
const passType = string('The pass type.', { pattern: '^pass[.][A-Za-z0-9.-]{1,200}$' })
const hidden = { tag, isHidden: true } as const

const empty = (status: number): Answer => answerText('', 'text/plain; charset=utf-8', {}, status)

const PushToken = object(
  { pushToken: string('Where pushes to the phone go.', { pattern: '^[0-9A-Fa-f]{8,200}$' }) },
  { additionalProperties: true },
)

const nothing = { type: 'text/plain', description: 'Nothing.' } as const

const registration = {
  path: `${base}/devices/:device/registrations/:passType/:serial`,
  access: 'public',
  params: { device, passType },
  problemCodes: ['WALLET_PASS_UNAUTHORIZED'],
} as const

const register = declareOperation({
  ...registration,
  id: 'register_apple_device_v1',
  method: 'POST',
  body: PushToken,
  returns: { 200: nothing, 201: nothing },
  transport: { maxBodyBytes: 4_096 },
  document: { ...hidden, summary: 'Register a phone for a pass' },
}).withSignedHandler(findHolder, async ({ params, body, sender, context }) => {
  const outcome = await context.db.transaction((trx) =>
    registerDevice(trx, sender.card, { device: params.device, pushToken: body.pushToken }),
  )
  return empty(outcome === 'new' ? 201 : 200)
})

const unregister = declareOperation({
  ...registration,
  id: 'unregister_apple_device_v1',
  method: 'DELETE',
  returns: { 200: nothing },
  document: { ...hidden, summary: 'End the registration of a phone for a pass' },
}).withSignedHandler(findHolder, async ({ params, sender, context }) => {
  await context.db.transaction((trx) => unregisterDevice(trx, sender.card, params.device))
  return empty(200)
})

/** A phone is known by its name alone here, which is as long as a secret. One that nobody knows is counted. */
const listUpdates = declareOperation({
  id: 'list_apple_pass_updates_v1',
  method: 'GET',
  path: `${base}/devices/:device/registrations/:passType`,
  access: 'public',
  params: { device, passType },
  query: { passesUpdatedSince: optional(string('The tag of an earlier answer.', { maxLength: 4_000 })) },
  returns: {
    200: object({
      serialNumbers: list(string('A pass.'), 'The passes that have changed.'),
      lastUpdated: string('The tag of this answer.'),
    }),
    204: null,
  },
  transport: { allowsUnknownQuery: true },
  document: { ...hidden, summary: 'List the passes of a phone that have changed' },
}).withSignedHandler(
  async ({ context, params }) => ((await isKnownDevice(context.db, params.device)) ? params.device : null),
  async ({ params, query, sender, context }) => {
    const updates =
      sender === null
        ? null
        : await listUpdatedPasses(context.db, context, { ...params, since: query.passesUpdatedSince })
    return updates && updates.serialNumbers.length > 0 ? answerJson(updates) : empty(204)
  },
)

const fetchPass = declareOperation({
  id: 'fetch_apple_pass_v1',
  method: 'GET',
  path: `${base}/passes/:passType/:serial`,
  access: 'public',
  params: { passType },
  returns: { 200: { type: mediaType, description: 'The pass.', isBinary: true } },
  problemCodes: ['WALLET_PASS_UNAUTHORIZED', 'WALLET_NOT_CONFIGURED'],
  document: { ...hidden, summary: 'Fetch a pass as it is now' },
}).withSignedHandler(findHolder, async ({ sender, request, context }) => {
  const { file, lastModified } = await updatePass(
    context.db,
    context,
    sender,
    parseDate(request.headers['if-modified-since']),
  )
  const headers = { 'Last-Modified': lastModified.toUTCString(), 'Cache-Control': 'private, no-cache' }
  return file === null ? answerText('', mediaType, headers, 304) : answerBytes(file, mediaType, headers)
})

const log = declareOperation({
  id: 'log_apple_device_v1',
  method: 'POST',
  path: `${base}/log`,
  access: 'public',
  body: object(
    { logs: list(string('What a phone complains about.'), 'Lines.', { maxItems: 1_000 }) },
    { additionalProperties: true },
  ),
  returns: { 200: nothing },
  transport: { maxBodyBytes: 65_536 },
  document: { ...hidden, summary: 'Take what a phone complains about' },
}).withOutboundHandler(async ({ body, context }) => {
  takeLogs(context.log, body.logs)
  return empty(200)
})

export const webServiceOperations: Operation[] = [register, unregister, listUpdates, fetchPass, log]
