import type { Knex } from 'knex'
import { mayHideFooter, readAnyApplication } from '../../features/applications/index.ts'
import { findLogo, type ServedPicture } from '../../features/dpp/index.ts'
import { formatPlainName } from '../../features/identity/index.ts'
import type { Mail } from '../../kernel/ports/messenger.ts'
import type { Context } from '../../kernel/work.ts'
import { fitIntoRoom, getLargestForm } from '../site/pictures.ts'
import { renderMailDocument, type MailLogo, type MailSender } from './mails.views.ts'

/** The parts of a process that a mail is rendered with. */
export type MailContext = Pick<Context, 'meters' | 'notices'> & {
  settings: Pick<Context['settings'], 'publicUrl'>
}

/** The sender of mails to members: the platform, whose name stands at the top and needs no second place. */
const platformSender: MailSender = { name: 'Tessera', theme: {}, logo: null, hasOurName: false }

/**
 * Renders the HTML of a mail: in the looks of its application, with our name at the end unless the plan of the
 * application leaves it out, or in our own looks.
 * @throws NOT_FOUND if the application does not exist any more
 */
export const renderMail = async (trx: Knex, context: MailContext, mail: Mail): Promise<string> =>
  renderMailDocument(
    mail,
    mail.application === null ? platformSender : await readSender(trx, context, mail.application),
  )

async function readSender(trx: Knex, context: MailContext, id: string): Promise<MailSender> {
  const application = await readAnyApplication(trx, id)
  const { name, organization, theme } = application
  const hidesOurName = theme.hideFooter === true && (await mayHideFooter(trx, context.meters.table, organization))
  const logo = await findLogo(trx, context, application)
  return {
    name: formatPlainName(theme.title ?? name),
    theme,
    logo: logo && chooseLogo(logo, context.settings.publicUrl),
    hasOurName: !hidesOurName,
  }
}

/** The most that a logo takes of a mail, in pixels. */
const logoRoom = { width: 192, height: 64 }

/** Chooses the size of a logo that is sharp on a screen with two points a pixel. A mail has no place for several. */
function chooseLogo(picture: ServedPicture, origin: string): MailLogo {
  const [first] = picture
  const sides = fitIntoRoom(first, logoRoom)
  const form = picture.find((each) => each.width >= 2 * sides.width) ?? getLargestForm(picture)
  return { address: `${origin}${form.path}`, ...sides }
}
