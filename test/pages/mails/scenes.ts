import { createEmail, listMessagesTo, type OutboxMessage } from '../../core/identity/people.ts'
import { createApiClient } from '../../support/client.ts'
import { platform } from '../../support/platform.ts'
import type { Shop } from '../../support/world.ts'

/** A mail as the outbox has it, with its HTML. */
export interface ReadMail extends OutboxMessage {
  html: string
}

/** The address at which the outbox shows the HTML of a mail. */
export const createMailAddress = (id: string): string => `${new URL(platform.outbox).origin}/dev/outbox/${id}`

/** Reads the newest mail to an address, with its HTML. */
export async function readMailTo(address: string): Promise<ReadMail> {
  const [message] = await listMessagesTo(address)
  if (!message) throw new Error(`No mail was sent to ${address}`)
  const answer = await createApiClient({}, createMailAddress(message.id)).get('', { skipsDocumentCheck: true })
  if (answer.status !== 200) throw new Error(`The mail ${message.id} has no HTML`)
  return { ...message, html: answer.text }
}

/** Asks for a code of a shop, in a language, and reads the mail that brings it. */
export async function readCodeMail({ application }: Shop, language = 'en'): Promise<ReadMail> {
  const email = createEmail('reader')
  const body = { application, type: 'email-otp', email }
  const { status, text } = await createApiClient().post('/v1/auth/send-otp', body, {
    headers: { 'accept-language': language },
  })
  if (status >= 300) throw new Error(text)
  return readMailTo(email)
}

/** Lists everything that the HTML of a mail names by an address, for people and for programs. */
export const listAddresses = ({ html }: Pick<ReadMail, 'html'>): string[] =>
  [...html.matchAll(/\s(?:href|src|background|action|poster|srcset)="([^"]*)"|url\(([^)]*)\)/gi)].map(
    ([, address = '', styled = '']) => address || styled,
  )
