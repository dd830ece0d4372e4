import type { Context } from '../../../../kernel/work.ts'
import type { CardContent } from '../content.ts'
import type { PassApplication } from '../apple/pictures.ts'
import type { GoogleOutcome } from './outcomes.ts'
import { openGoogle, readProgram, toGoogleContent } from './service.ts'
import { createClass, createShownMembers, getObjectId } from './templates.ts'

/** Shows on phones what a card shows now. Nobody is notified. */
export type GoogleUpdater = (content: CardContent) => Promise<GoogleOutcome>

/**
 * Creates what updates the cards of an application, with its looks as they are now. @throws WALLET_NOT_CONFIGURED
 */
export async function createGoogleUpdater(context: Context, application: PassApplication): Promise<GoogleUpdater> {
  const { client, credentials } = await openGoogle(context.db, context, application)
  const { issuerId } = credentials
  const cardClass = createClass(await readProgram(context, application, issuerId))
  return async (content) => {
    // The client sends the class only if it has changed.
    const made = await client.ensureClass(cardClass)
    if (made.status !== 'sent') return made
    return client.patchObject(getObjectId(issuerId, content.card), createShownMembers(toGoogleContent(content)))
  }
}
