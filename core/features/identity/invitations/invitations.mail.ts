import type { Knex } from 'knex'
import type { MailContent } from '../../../kernel/ports/identity.ts'
import { consoleLanguages, negotiateLanguage, type ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { Context } from '../../../kernel/work.ts'
import { hashForRealm } from '../auth.ts'
import { countSend, type SendBudget } from '../sign-in/code-sends.ts'

/** Days for which an invitation can be accepted. */
export const invitationDays = 7

const maxMailsPerRecipient = 3
const maxMailsPerOrganization = 200

/**
 * Writes a name so that no mail program makes a link of it: who invites a stranger must not send them to a page of
 * their own in our name.
 */
export const formatPlainName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}./:@\\]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()

/**
 * Creates the budgets of a message that members or owners of passports cause: of its recipient over all organizations,
 * and of the organization.
 * @param to e-mail address in small letters, or phone number in E.164 form
 */
export function createMailBudgets(context: Context, organization: string, to: string): SendBudget[] {
  const recipient = hashForRealm(context, { kind: 'member', application: null }, `mail:${to}`)
  return [
    { name: `day:mail:${recipient}`, max: maxMailsPerRecipient, phrase: 'mails a day go out to one address' },
    {
      name: `day:organization:${organization}`,
      max: maxMailsPerOrganization,
      phrase: 'mails a day go out for one organization',
    },
  ]
}

/** An invitation as its mail tells it. */
export interface MailedInvitation {
  id: string
  organization: string
  organizationName: string
  email: string
  locale: string
}

/**
 * Sends the mail of an invitation in the caller's transaction.
 * @throws RATE_LIMITED beyond 3 mails a day to one address, or 200 for one organization
 */
export async function mailInvitation(trx: Knex, context: Context, invitation: MailedInvitation): Promise<void> {
  const { id, organization, email, locale } = invitation
  await countSend(trx, createMailBudgets(context, organization, email))
  const name = formatPlainName(invitation.organizationName)
  const address = `${context.settings.baseUrl}/console/invitations/${id}`
  const language = negotiateLanguage(consoleLanguages, locale)
  const content = mails[language](name, address)
  await context.messenger.sendMessage(trx, { to: email, channel: 'email', ...content, language, application: null })
}

/** @param address where the person answers */
type InvitationMail = (name: string, address: string) => MailContent

const createEnglishMail: InvitationMail = (name, address) => ({
  subject: `You are invited to ${name}`,
  parts: [
    `${name} invites you to work with it on Tessera.`,
    { label: 'See the invitation', address },
    `Sign in there with this e-mail address to accept or decline. The invitation ends after ${invitationDays} days. `
      + 'If you do not know who invites you, leave this message be: nothing happens.',
  ],
})

const createFrenchMail: InvitationMail = (name, address) => ({
  subject: `Vous êtes invité à rejoindre ${name}`,
  parts: [
    `${name} vous invite à travailler avec elle sur Tessera.`,
    { label: 'Voir l’invitation', address },
    `Connectez-vous avec cette adresse e-mail pour accepter ou refuser. L’invitation expire après ${invitationDays} jours. `
      + 'Si vous ne savez pas qui vous invite, ignorez ce message : rien ne se passe.',
  ],
})

/** Creates the mail in each language. */
const mails: Record<ConsoleLanguage, InvitationMail> = { en: createEnglishMail, fr: createFrenchMail }
