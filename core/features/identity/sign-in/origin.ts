import type { RequestFacts } from '../../../kernel/operation.ts'
import { originMismatch, ownOrigins, siteOf } from '../../../kernel/origin.ts'
import type { Context } from '../../../kernel/work.ts'
import { isOriginOf } from '../../applications/index.ts'

/** How the token of a new session may go out: in the answer only, or as a cookie too. */
export type SessionCarrier = 'bearer' | 'cookie'

/**
 * Judges where a sign-in was sent from. Our own pages and programs get a cookie beside the token. A page on a domain of
 * the application gets the token alone: its browser would not send our cookie, and must not be signed in here by it.
 * @param application whose domains count, or null where none does. @throws AUTH_ORIGIN_MISMATCH for any other page
 */
export async function judgeOrigin(
  { db, settings }: Context, headers: RequestFacts['headers'], application: string | null,
): Promise<SessionCarrier> {
  if (siteOf(headers, ownOrigins(settings)) !== 'foreign') return 'cookie'
  const { origin } = headers
  if (application === null || typeof origin !== 'string' || !(await isOriginOf(db, application, origin))) throw originMismatch()
  return 'bearer'
}
