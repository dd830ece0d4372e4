import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { UnavailableError } from '../../../kernel/unavailable.ts'
import type { Context } from '../../../kernel/work.ts'
import { words, type Language } from '../../../languages/index.ts'
import { readAnyApplication } from '../../applications/index.ts'
import { countSend, createMailBudgets, formatPlainName } from '../../identity/index.ts'
import { canDeliver } from '../../outbox/index.ts'
import type { PassportRow } from '../passports/index.ts'
import { namePassports } from '../selection/index.ts'

/** Days for which an offer can be accepted. */
export const offerDays = 14

/** The most offers that one person makes in a day. */
const maxOffersPerPerson = 10

/** Where a message goes. */
export interface Recipient {
  channel: 'email' | 'sms'
  to: string
}

/** @throws UnavailableError if this installation sends no such messages */
export function assertDeliverable({ settings }: Context, { channel }: Recipient): void {
  if (!canDeliver(settings, channel))
    throw new UnavailableError(`This installation cannot send ${channel === 'email' ? 'mail' : 'text messages'}.`)
}

/**
 * Counts the message of an offer: with the invitations of members, and for the person who makes it.
 * @throws RATE_LIMITED beyond 3 messages a day to one address, 200 for one organization, or 10 offers of one person
 */
export const countOffer = (
  trx: Knex,
  context: Context,
  { organization, to, user }: { organization: string; to: string; user: string },
): Promise<void> =>
  countSend(trx, [
    ...createMailBudgets(context, organization, to),
    {
      name: `day:offers:${createHash('sha256').update(user).digest('base64url')}`,
      max: maxOffersPerPerson,
      phrase: 'offers of one person a day go out',
    },
  ])

/** Sends the link of an offer, in the name of the brand and in the caller's transaction. */
export async function sendOffer(
  trx: Knex,
  context: Context,
  { id, application }: Pick<PassportRow, 'id' | 'application'>,
  { token, recipient, language }: { token: string; recipient: Recipient; language: Language },
): Promise<void> {
  const [{ theme, name }, [named]] = await Promise.all([readAnyApplication(trx, application), namePassports(trx, [id])])
  const brand = formatPlainName(theme.title ?? name)
  const product = formatPlainName(named?.name ?? '').slice(0, 120)
  const address = `${context.settings.publicUrl}/transfer?token=${token}`
  const phrases = words[language].passingOn.message
  const { to, channel } = recipient
  const subject = phrases.subject(product, brand)
  await context.messenger.sendMessage(
    trx,
    channel === 'sms'
      ? { to, channel, subject, text: phrases.text(product.slice(0, 40), brand.slice(0, 40), address) }
      : { to, channel, subject, parts: phrases.mail(product, brand, address, offerDays), language, application },
  )
}
