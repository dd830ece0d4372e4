import { UnavailableError } from '../../kernel/unavailable.ts'
import type { Context } from '../../kernel/work.ts'
import { canDeliver } from '../outbox/index.ts'
import { createSendBudgets, countSend, deleteOldSends, type CodeRequest } from './sign-in/code-sends.ts'
import {
  codeLifetimeSeconds,
  deleteExpiredCodes,
  insertCode,
  createCode,
  type CodeRecipient,
} from './sign-in/one-time-codes.ts'

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
  sender: string,
): Promise<void> {
  const { db, settings } = context
  if (settings.signInCodes === 'off') throw new UnavailableError('Sign-in by code is switched off here.')
  if (!canDeliver(settings, recipient.channel)) throw new UnavailableError(undeliveredDetails[recipient.channel])
  const code = await createCode(context, recipient)
  const from = sender.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  await db.transaction(async (trx) => {
    await countSend(trx, createSendBudgets(context, codeRequest, recipient))
    await insertCode(trx, context, { realm: codeRequest.realm, address: recipient, code })
    await context.messenger.sendMessage(trx, {
      ...recipient,
      subject: `${code} is your code for ${from}`,
      text: recipient.channel === 'sms' ? formatTextMessage(code, from) : formatMail(code, from),
    })
  })
  await deleteOldSends(db)
  await deleteExpiredCodes(db)
}

const undeliveredDetails = {
  email: 'This installation cannot send mail, so nobody can sign in by e-mail.',
  sms: 'This installation cannot send text messages, so nobody can sign in by phone.',
} as const

const lifetimeMinutes = codeLifetimeSeconds / 60

const formatMail = (code: string, from: string): string =>
  `${code} is your code to sign in to ${from}.\n\n`
  + `It can be used once, within ${lifetimeMinutes} minutes. `
  + 'If you did not ask for it, leave this message be: nothing happens without the code.\n'

/** Maximum length of a name in a text message, so that any code fits into two parts. Source: GSM 03.38, GSM 03.40. */
const maxNameLength = 60

function formatTextMessage(code: string, from: string): string {
  // Half a character of two code units is left out.
  const name = from.slice(0, maxNameLength).replace(/[\uD800-\uDBFF]$/, '')
  return `${code} is your code to sign in to ${name}. Use it once, within ${lifetimeMinutes} minutes.`
}
