import type { Authenticated } from '../kernel/parts.ts'
import { permissionsOf, type Caller } from '../kernel/caller.ts'
import { grants, permissionPair, type Permission } from '../kernel/permission.ts'
import { problem, type Problem } from '../kernel/problem.ts'
import type { Access, Declaration } from '../kernel/operation.ts'

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

/** A write that rides on a cookie has to come from our own pages. Source: OWASP, verifying origin with standard headers. */
export function checkOrigin(
  authenticated: Authenticated,
  declaration: Declaration,
  origin: string | undefined,
  own: ReadonlySet<string>,
): void {
  if (!authenticated.cookie || declaration.method === 'GET' || declaration.anyOrigin) return
  if (origin === undefined || !own.has(origin)) {
    throw problem('AUTH_ORIGIN_MISMATCH', 'A write with a cookie needs the Origin of our own pages.')
  }
}
