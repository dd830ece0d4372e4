import type { Authenticated } from '../kernel/parts.ts'
import { permissionsOf, type Caller } from '../kernel/caller.ts'
import { grants, permissionPair, type Permission } from '../kernel/permission.ts'
import { originMismatch, siteOf, type Site } from '../kernel/origin.ts'
import { problem, type Problem } from '../kernel/problem.ts'
import type { Access, Declaration, RequestFacts } from '../kernel/operation.ts'

const unauthenticated = () => problem('AUTH_UNAUTHENTICATED', 'This operation needs an API key or a session.')
const wrongKind = (detail: string) => problem('AUTH_INSUFFICIENT_PERMISSIONS', detail)

/** Throws what keeps this caller from the operation: 401 without a credential, 403 with the missing pair. */
export function permit(caller: Caller, access: Access): void {
  if (access === 'public') return
  if (caller.kind === 'anonymous') throw unauthenticated()
  const refusal =
    access === 'endUser'
      ? refuseUnless(caller.kind === 'endUser', 'This operation is for the buyers of an application.')
      : access === 'member'
        ? refuseUnless(caller.kind === 'member', 'This operation is for signed-in members.')
        : access === 'session'
          ? refuseUnless(caller.kind !== 'key', 'This operation is for people who are signed in; a key has no session.')
        : access === 'signedIn'
          ? withoutOrganization(caller)
          : withoutPermission(caller, access)
  if (refusal) throw refusal
}

const refuseUnless = (fits: boolean, detail: string): Problem | null => (fits ? null : wrongKind(detail))

function withoutOrganization(caller: Caller): Problem | null {
  if (caller.kind !== 'member' || (caller.organization && caller.role)) return null
  return problem('AUTH_MISSING_ORG_ID', 'No organization is active in this session. Choose one with set-active.')
}

function withoutPermission(caller: Caller, permission: Permission): Problem | null {
  const missing = withoutOrganization(caller)
  if (missing) return missing
  if (grants(permissionsOf(caller), permission)) return null
  const pair = permissionPair(permission)
  const who = caller.kind === 'key' ? 'This key' : caller.kind === 'member' ? 'Your role' : 'This session'
  return problem('AUTH_INSUFFICIENT_PERMISSIONS', `${who} lacks the permission to ${pair.action} ${pair.resource}.`, {
    extra: { permission: pair },
  })
}

/**
 * Refuses a write that another site's page sent. A form of our pages has to come from our pages, whoever is signed in:
 * else another site signs its visitor in as somebody else (OWASP, "Login CSRF"). So has a write that rides on a cookie.
 * What changes the session answers with a cookie, so it is taken from our pages or from a program that is no page.
 * A sign-in route judges by itself: it also serves the pages of its application, which get no cookie.
 */
export function checkOrigin(
  { cookie }: Authenticated, declaration: Declaration, headers: RequestFacts['headers'], own: ReadonlySet<string>,
): void {
  const { method, page, anyOrigin, changesSession } = declaration
  if (method === 'GET' || anyOrigin) return
  const needed: readonly Site[] | null = page || cookie ? ['own'] : changesSession ? ['own', 'none'] : null
  if (needed && !needed.includes(siteOf(headers, own))) throw originMismatch()
}
