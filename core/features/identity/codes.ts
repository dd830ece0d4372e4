import { UnavailableError } from '../../kernel/unavailable.ts'
import type { Context } from '../../kernel/work.ts'
import { canDeliver } from '../outbox/index.ts'
import { budgetsOf, countSend, forgetSends, type Asking } from './sign-in/code-sends.ts'
import { codeLifeSeconds, forgetCodes, keepCode, makeCode, type Address } from './sign-in/one-time-codes.ts'

/**
 * Sends a new code to an address. The same work is done for people who are known and who are not. What is counted,
 * the code and its message are kept in one transaction, or not at all.
 * @throws RATE_LIMITED, UnavailableError where no message can leave
 */
export async function sendCode(context: Context, asking: Asking, to: Address, sender: string): Promise<void> {
  const { db, settings } = context
  if (settings.signInCodes === 'off') throw new UnavailableError('Sign-in by code is switched off here.')
  if (!canDeliver(settings, to.channel)) throw new UnavailableError(undelivered[to.channel])
  const code = await makeCode(context, asking.realm, to)
  const from = sender.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  await db.transaction(async (trx) => {
    await countSend(trx, budgetsOf(context, asking, to))
    await keepCode(trx, context, { realm: asking.realm, address: to, code })
    await context.post.send(trx, {
      ...to,
      subject: `${code} is your code for ${from}`,
      text: `${code} is your code to sign in to ${from}.\n\n`
        + `It can be used once, within ${codeLifeSeconds / 60} minutes. `
        + 'If you did not ask for it, leave this message be: nothing happens without the code.\n',
    })
  })
  await forgetSends(db)
  await forgetCodes(db)
}

const undelivered = {
  email: 'This installation cannot send mail, so nobody can sign in by e-mail.',
  sms: 'This installation cannot send text messages, so nobody can sign in by phone.',
} as const
