import type { RequestDetails } from '../../../kernel/operation.ts'
import { createOriginMismatchProblem, getOwnOrigins, getRequestSite } from '../../../kernel/request/origin.ts'
import type { Context } from '../../../kernel/work.ts'
import { isApplicationOrigin } from '../../applications/index.ts'

/** The way in which the token of a new session may be sent: in the answer only, or also as a cookie. */
export type SessionCarrier = 'bearer' | 'cookie'

/**
 * Checks where a sign-in was sent from. Our own pages and programs get a cookie beside the token. A page on a domain of
 * the application gets the token alone: its browser would not send our cookie, and that sign-in must not create a
 * session on our own pages.
 * @param application the application whose domains are allowed, or null for none
 * @throws AUTH_ORIGIN_MISMATCH for any other page
 */
export async function authorizeOrigin(
  { db, settings }: Context,
  headers: RequestDetails['headers'],
  application: string | null,
): Promise<SessionCarrier> {
  if (getRequestSite(headers, getOwnOrigins(settings)) !== 'foreign') return 'cookie'
  const { origin } = headers
  if (application === null || typeof origin !== 'string' || !(await isApplicationOrigin(db, application, origin)))
    throw createOriginMismatchProblem()
  return 'bearer'
}
