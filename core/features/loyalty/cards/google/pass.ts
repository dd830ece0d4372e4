import type { EndUserCaller } from '../../../../kernel/caller.ts'
import { createNotFoundProblem, createProblem } from '../../../../kernel/problem.ts'
import { BadGatewayError, UnavailableError } from '../../../../kernel/unavailable.ts'
import type { Context } from '../../../../kernel/work.ts'
import { findApplication } from '../../../applications/index.ts'
import { ensureOwnCard } from '../cards.ts'
import { readCardContents } from '../content.ts'
import type { GoogleOutcome } from './outcomes.ts'
import { createSaveLink } from './save-link.ts'
import { openGoogle, readProgram, toGoogleContent } from './service.ts'
import { createClass, createObject } from './templates.ts'

/**
 * Creates the link by which a buyer saves their card. Google gets the card first, as it is now, because the link only
 * names it.
 * @throws WALLET_NOT_CONFIGURED without credentials, or if Google refuses them
 * @throws NOT_FOUND if the account is gone; UnavailableError, BadGatewayError
 */
export async function createOwnSaveLink(context: Context, caller: EndUserCaller): Promise<string> {
  const { db, settings, clock } = context
  const application = await findApplication(db, caller.application)
  if (!application) throw createNotFoundProblem()
  const { client, credentials } = await openGoogle(db, context, application)
  const { id } = await db.transaction((trx) => ensureOwnCard(trx, context, caller, 'google-wallet'))
  const [content] = await readCardContents(db, [id])
  if (!content) throw createNotFoundProblem()
  const program = await readProgram(context, application, credentials.issuerId)
  const object = createObject(program, toGoogleContent(content))
  assertSent(await client.ensureClass(createClass(program)))
  assertSent(await client.upsertObject(object))
  const { origin } = new URL(settings.publicUrl)
  return createSaveLink({ serviceAccount: credentials, object, origin, now: clock.now() })
}

/** Google's words for credentials that it does not take. */
const credentialCodes: ReadonlySet<string> = new Set(['INVALID_CREDENTIALS', 'UNAUTHENTICATED', 'PERMISSION_DENIED'])

/** @throws WALLET_NOT_CONFIGURED; UnavailableError; BadGatewayError */
function assertSent(outcome: GoogleOutcome): void {
  if (outcome.status === 'sent') return
  if (outcome.status !== 'failed') throw new UnavailableError('Google Wallet does not answer. Try again shortly.')
  if (credentialCodes.has(outcome.code))
    throw createProblem('WALLET_NOT_CONFIGURED', 'Google Wallet refuses the service account of the application.')
  throw new BadGatewayError(`Google Wallet refuses the card: ${outcome.code}.`)
}
