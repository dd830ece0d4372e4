import type { Knex } from 'knex'
import { findApplication } from '../../../applications/index.ts'
import { fitPicture, readLogoForm, writePicture } from '../../../dpp/index.ts'
import { drawMonogram } from '../apple/monogram.ts'
import { getPassColours } from '../apple/pass.ts'

/** The side of the picture in pixels, and what stays free around a logo, because wallets show a disc of it. */
const side = 660
const margin = 110

/** Returns where the picture of an application is: another logo has another address, so that Google fetches it again. */
export const getLogoPath = (application: string, hash: string | null): string =>
  `/v1/google-wallet/logos/${application}${hash === null ? '' : `?logo=${hash}`}`

/**
 * Makes the picture of an application for its cards, as PNG: of its logo, else a letter of its name.
 * @returns null if there is no such application
 */
export async function makeLogo(db: Knex, id: string, hash: string | null): Promise<Buffer | null> {
  const application = await findApplication(db, id)
  if (!application) return null
  const { name, theme } = application
  const form = hash === null ? null : await readLogoForm(db, id, hash)
  const box = { width: side, height: side }
  if (form) return fitPicture({ ...box, margin, background: '#ffffff' }, form)
  const { paper, ink } = getPassColours(theme)
  return writePicture(drawMonogram(theme.title ?? name, side, { paper, ink }), box)
}
