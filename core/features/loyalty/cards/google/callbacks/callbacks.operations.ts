import { declareOperation, type Operation } from '../../../../../kernel/operation.ts'
import { createProblem } from '../../../../../kernel/problem.ts'
import { boolean, list, object, oneOf, optional, string } from '../../../../../kernel/schema.ts'
import { callbackSkips, takeCallback } from './callbacks.ts'
import { protocolVersion } from './keys.ts'
import { openCallback } from './signature.ts'
import { getRootKeys } from '../service.ts'

/** Google may add members. */
const open = { additionalProperties: true }
const signature = string('In base64, of DER.', { maxLength: 1_000 })

const GoogleCallback = object(
  {
    protocolVersion: oneOf([protocolVersion], 'How it is signed.'),
    signature,
    intermediateSigningKey: object(
      {
        signedKey: string('The key that signs, as JSON.', { maxLength: 10_000 }),
        signatures: list(signature, 'Those of root keys.'),
      },
      open,
    ),
    signedMessage: string('What happened, as JSON.', { maxLength: 10_000 }),
  },
  { title: 'GoogleWalletCallback', description: 'A report that a card was saved or deleted.', ...open },
)

const GoogleCallbackTaken = object({
  received: optional(boolean('It counts.')),
  skipped: optional(oneOf(callbackSkips, 'Why it changes nothing.')),
})

/** Called by Google, as its documentation says, so the document of our API leaves it out. */
const takeCallbackOperation = declareOperation({
  id: 'take_google_wallet_callback_v1',
  method: 'POST',
  path: '/v1/google-wallet/callbacks',
  access: 'public',
  body: GoogleCallback,
  returns: { 200: GoogleCallbackTaken },
  problemCodes: ['WEBHOOK_INVALID_SIGNATURE'],
  transport: { maxBodyBytes: 64 * 1024 },
  document: { tag: 'Cards', summary: 'Take a report of Google Wallet', isHidden: true },
}).withSignedHandler(
  async ({ context, bytes }) => {
    const keys = getRootKeys(context)
    const callback = keys && (await openCallback(bytes, keys, context.clock.now()))
    if (!callback) throw createProblem('WEBHOOK_INVALID_SIGNATURE', 'The body is no valid report of Google Wallet.')
    return callback
  },
  async ({ context, sender }) => {
    const skipped = await takeCallback(context, sender)
    return skipped === null ? { received: true } : { skipped }
  },
)

export const googleCallbackOperations: Operation[] = [takeCallbackOperation]
