import type { EndUserCaller } from '../../../../kernel/caller.ts'
import { createNotFoundProblem } from '../../../../kernel/problem.ts'
import type { Context } from '../../../../kernel/work.ts'
import { findApplication, toPlainSlug } from '../../../applications/index.ts'
import { passType } from '../apple/press.ts'
import { makePassOf } from '../apple/presses.ts'
import { ensureOwnCard } from '../cards.ts'
import { readContentsOf } from '../content.ts'
import { readWalletCredentials } from '../credentials.ts'

/** A card as a file, and how it is answered. */
export interface PassFile {
  body: Buffer
  type: string
  headers: Record<string, string>
}

/**
 * Makes the card of a buyer for Apple Wallet. @throws WALLET_NOT_CONFIGURED; NOT_FOUND if the account is gone
 */
export async function makeOwnPass(context: Context, caller: EndUserCaller): Promise<PassFile> {
  const { db } = context
  const application = await findApplication(db, caller.application)
  if (!application) throw createNotFoundProblem()
  // What cannot be issued leaves nothing behind.
  await readWalletCredentials(db, context, application, 'apple-wallet')
  const card = await db.transaction((trx) => ensureOwnCard(trx, context, caller, 'apple-wallet'))
  const [content] = await readContentsOf(db, [card])
  if (!content) throw createNotFoundProblem()
  return {
    body: await makePassOf(db, context, { card, content, application }),
    type: passType,
    headers: {
      'Content-Disposition': `attachment; filename="${toPlainSlug(application.slug) || 'card'}.pkpass"`,
      'Cache-Control': 'private, no-store',
    },
  }
}
