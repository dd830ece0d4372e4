import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { findApplication, type Application } from '../../applications/index.ts'
import { isHttpsUrl } from './find-pictures.ts'
import { readForms, servePicture, type ServedPicture } from './pictures.reads.ts'
import { namePictures } from './pictures.store.ts'

/**
 * Finds the logo of an application at addresses of ours that stand for no passport; null if it has none, or none yet. A
 * logo that nobody has fetched is fetched soon, and one that mails show is kept and fetched again like that of a page.
 */
export async function findLogo(
  trx: Knex,
  context: Pick<Context, 'notices'>,
  { id, organization, theme }: Pick<Application, 'id' | 'organization' | 'theme'>,
): Promise<ServedPicture | null> {
  const { logoUrl } = theme
  if (!isHttpsUrl(logoUrl)) return null
  await namePictures(trx, context, organization, [logoUrl])
  const forms = (await readForms(trx, organization, [logoUrl])).get(logoUrl)
  return forms ? servePicture(`/assets/logos/${id}`, forms) : null
}

/**
 * Reads one size of the logo of an application; null if its logo has none with this hash.
 * @param hash SHA-256 of the size, in hexadecimal
 */
export async function readLogoForm(db: Knex, application: string, hash: string): Promise<Buffer | null> {
  const found = await findApplication(db, application)
  const logoUrl = found?.theme.logoUrl
  if (!found || !isHttpsUrl(logoUrl)) return null
  const { rows } = await db.raw<{ rows: { body: Buffer }[] }>(
    `select f.body from pictures p join picture_forms f on f.picture = p.id
     where p.organization = ? and p.address_hash = sha256(convert_to(?, 'UTF8')) and f.hash = decode(?, 'hex')`,
    [found.organization, logoUrl, hash],
  )
  return rows[0]?.body ?? null
}
