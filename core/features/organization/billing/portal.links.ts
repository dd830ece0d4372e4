import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { Context } from '../../../kernel/work.ts'
import { signLink } from '../../identity/index.ts'
import type { PortalAddress, PortalRequest } from './provider.ts'

/** Minutes for which a link can be opened, and its page changed. */
const linkMinutes = 10
/** The largest setback of the clock, in seconds, after which a link still counts. */
const maxSetbackSeconds = 30

/** What the signatures of these links are for. */
export const portalPurpose = 'billing-portal'

const isOpenSql = `expires_at > now() and expires_at < now() + interval '${linkMinutes} minutes ${maxSetbackSeconds} seconds'`

/** Creates the address of our own page. It is for the session of the member who asks; one of a key is for any member. */
export async function createLocalPortal(
  context: Context,
  { caller, returnUrl }: PortalRequest,
): Promise<PortalAddress> {
  const id = newId()
  const { rows } = await context.db.raw<{ rows: { expiresAt: Date }[] }>(
    `insert into billing_portal_links (id, organization, session, return_url, expires_at)
     values (?, ?, ?, ?, now() + interval '${linkMinutes} minutes') returning expires_at as "expiresAt"`,
    [id, caller.organization, caller.kind === 'member' ? caller.session : null, returnUrl] as Knex.RawBinding[],
  )
  const [row] = rows
  if (!row) throw new Error('an insert returned no row')
  const url = `${context.settings.baseUrl}/console/billing/${id}/${signLink(context, portalPurpose, id)}`
  return { url, expiresAt: row.expiresAt.toISOString() }
}

/** A link, and the session of a member that presents it. */
export interface PresentedLink {
  id: string
  organization: string
  session: string
}

/**
 * Opens a link. Of visits at the same time one opens it.
 * @returns the address to go back to; `ended` if the link was opened before or is too old; null if there is none for this
 * session
 */
export async function openLink(
  db: Knex,
  { id, organization, session }: PresentedLink,
): Promise<{ returnUrl: string } | 'ended' | null> {
  const { rows } = await db.raw<{ rows: { returnUrl: string | null }[] }>(
    `with found as (
       select id from billing_portal_links where id = :id and organization = :organization and (session is null or session = :session)),
     opened as (
       update billing_portal_links set opened_by = :session
       where id in (select id from found) and opened_by is null and ${isOpenSql} returning return_url)
     select (select return_url from opened) as "returnUrl" from found`,
    { id, organization, session },
  )
  const [row] = rows
  if (!row) return null
  return row.returnUrl === null ? 'ended' : { returnUrl: row.returnUrl }
}

/** Finds a link that this session has opened and that is not too old. @returns the address to go back to */
export async function findOpenedLink(
  db: Knex,
  { id, organization, session }: PresentedLink,
): Promise<{ returnUrl: string } | null> {
  const row = await db('billing_portal_links')
    .where({ id, organization, opened_by: session })
    .whereRaw(isOpenSql)
    .first<{ returnUrl: string } | undefined>('return_url as returnUrl')
  return row ?? null
}
