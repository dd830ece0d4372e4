import type { Context } from '../../../../kernel/work.ts'
import type { WalletApplication } from '../credentials.ts'
import type { CardContent } from '../content.ts'
import type { GoogleOutcome } from './outcomes.ts'
import { createProgram, openGoogle, toGoogleContent } from './service.ts'
import { createClass, createShownMembers, getObjectId } from './templates.ts'

/**
 * Shows on phones what a card shows now, with the looks of its application. Nobody is notified.
 * @param application that of the card @throws WALLET_NOT_CONFIGURED
 */
export async function updateGoogleCard(
  context: Context,
  application: WalletApplication,
  content: CardContent,
): Promise<GoogleOutcome> {
  const { client, credentials } = await openGoogle(context.db, context, application)
  const { issuerId } = credentials
  // The client sends it only if it has changed.
  const made = await client.ensureClass(createClass(createProgram(context.settings, issuerId, content)))
  if (made.status !== 'sent') return made
  return client.patchObject(getObjectId(issuerId, content.card), createShownMembers(toGoogleContent(content)))
}
