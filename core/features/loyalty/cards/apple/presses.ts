import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import { openCardToken } from '../secrets.ts'
import type { Card } from '../cards.store.ts'
import type { CardContent } from '../content.ts'
import { readWalletCredentials, type AppleCredentials } from '../credentials.ts'
import { findLogoHash, makePictures, type PassApplication } from './pictures.ts'
import { createPress, type Press } from './press.ts'

/** The most applications whose presses are kept: each has its pictures in memory. */
const maxPresses = 50

/** The presses that were used last, the newest one at the end, by all that they depend on. */
const presses = new Map<string, Promise<Press>>()

/** Returns the press of an application as it is now. */
async function getPress(
  db: Knex,
  context: Pick<Context, 'notices' | 'clock'>,
  application: PassApplication,
  credentials: AppleCredentials,
): Promise<Press> {
  const logo = await findLogoHash(db, context, application)
  const name = JSON.stringify([application.id, application.updatedAt, credentials.version, logo])
  const known = presses.get(name)
  presses.delete(name)
  const press = known ?? preparePress(db, context, application, { credentials, logo })
  presses.set(name, press)
  press.catch(() => presses.delete(name))
  for (const [oldest] of presses) {
    if (presses.size <= maxPresses) break
    presses.delete(oldest)
  }
  return press
}

async function preparePress(
  db: Knex,
  { clock }: Pick<Context, 'clock'>,
  application: PassApplication,
  { credentials, logo }: { credentials: AppleCredentials; logo: string | null },
): Promise<Press> {
  return createPress(credentials, await makePictures(db, application, logo), () => clock.now())
}

/** What the file of a card is made of. */
export interface PassParts {
  card: Pick<Card, 'id' | 'organization' | 'token'>
  content: CardContent
  application: PassApplication
}

/** Makes the file of a card. @throws WALLET_NOT_CONFIGURED */
export async function makePassOf(
  db: Knex,
  context: Pick<Context, 'settings' | 'clock' | 'notices'>,
  { card, content, application }: PassParts,
): Promise<Buffer> {
  const credentials = await readWalletCredentials(db, context, application, 'apple-wallet')
  const press = await getPress(db, context, application, credentials)
  return press(content, {
    webServiceUrl: `${context.settings.baseUrl}/v1/apple-wallet`,
    token: openCardToken(context, card),
  })
}
