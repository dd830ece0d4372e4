import { UnavailableError } from '../../kernel/unavailable.ts'
import type { Context } from '../../kernel/work.ts'
import { words, type Language } from '../../languages/index.ts'
import { canDeliver } from '../outbox/index.ts'
import { formatPlainName } from './invitations/invitations.mail.ts'
import { createSendBudgets, countSend, deleteOldSends, type CodeRequest } from './sign-in/code-sends.ts'
import {
  codeLifetimeSeconds,
  deleteExpiredCodes,
  insertCode,
  createCode,
  type CodeRecipient,
} from './sign-in/one-time-codes.ts'

/** In whose name a code is sent, and in which language. */
interface CodeSender {
  name: string
  language: Language
  /** The application in whose looks its mail is; null for the platform's own. */
  application: string | null
}

/**
 * Sends a new code to an address. The work is the same for known and unknown people. The count, the code and its
 * message are stored together in one transaction.
 * @throws RATE_LIMITED; VALIDATION_FAILED for an address that cannot receive mail; UnavailableError if no message can
 * be sent
 */
export async function sendCode(
  context: Context,
  codeRequest: CodeRequest,
  recipient: CodeRecipient,
  { name, language, application }: CodeSender,
): Promise<void> {
  const { db, settings } = context
  if (settings.signInCodes === 'off') throw new UnavailableError('Sign-in by code is switched off here.')
  if (!canDeliver(settings, recipient.channel)) throw new UnavailableError(undeliveredDetails[recipient.channel])
  const code = await createCode(context, recipient)
  const from = formatPlainName(name)
  const phrases = words[language].code
  await db.transaction(async (trx) => {
    await countSend(trx, createSendBudgets(context, codeRequest, recipient))
    await insertCode(trx, context, { realm: codeRequest.realm, address: recipient, code })
    const { to, channel } = recipient
    const subject = phrases.subject(code, from)
    await context.messenger.sendMessage(
      trx,
      channel === 'sms'
        ? { to, channel, subject, text: phrases.text(code, shortenName(from), lifetimeMinutes) }
        : { to, channel, subject, parts: phrases.mail(code, from, lifetimeMinutes), language, application },
    )
  })
  await deleteOldSends(db)
  await deleteExpiredCodes(db)
}

const undeliveredDetails = {
  email: 'This installation cannot send mail, so nobody can sign in by e-mail.',
  sms: 'This installation cannot send text messages, so nobody can sign in by phone.',
} as const

const lifetimeMinutes = codeLifetimeSeconds / 60

/** Maximum length of a name in a text message, so that any code fits into two parts. Source: GSM 03.38, GSM 03.40. */
const maxNameLength = 60

/** Shortens a name for a text message. Half a character of two code units is left out. */
const shortenName = (name: string): string => name.slice(0, maxNameLength).replace(/[\uD800-\uDBFF]$/, '')
