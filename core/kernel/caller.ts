import { grants, roleGrid, type Permission, type PermissionMap, type Role } from './permission.ts'

/** Nobody in particular: no credential, or a stale cookie. */
export interface Anonymous { kind: 'anonymous' }

/** An API key: belongs to one organization; only its own map counts. */
export interface KeyCaller { kind: 'key'; id: string; organization: string; permissions: PermissionMap }

/** A signed-in member. `organization` is the one the session made active, or null while none was chosen. */
export interface MemberCaller { kind: 'member'; session: string; user: string; organization: string | null; role: Role | null }

/** A buyer or card holder: belongs to one application. E-mail and phone are there only when verified. */
export interface EndUserCaller {
  kind: 'endUser'
  session: string
  user: string
  application: string
  organization: string
  email: string | null
  phoneNumber: string | null
}

/** Somebody with a session of their own. */
export type SessionCaller = MemberCaller | EndUserCaller

export type Caller = Anonymous | KeyCaller | MemberCaller | EndUserCaller

/** A caller that acts for an organization; what every handler behind a permission receives. */
export type OrganizationCaller = KeyCaller | (MemberCaller & { organization: string; role: Role })

/** The map that decides for this caller: a key's own, or the grid row of the member's role. */
export function permissionsOf(caller: Caller): PermissionMap {
  if (caller.kind === 'key') return caller.permissions
  if (caller.kind === 'member' && caller.organization && caller.role) return roleGrid[caller.role]
  return {}
}

/** The organization a caller acts for, or null for end users and anonymous callers. */
export function organizationOf(caller: Caller): string | null {
  return caller.kind === 'key' || caller.kind === 'member' ? caller.organization : null
}

/** Whether this caller may do `permission` to what belongs to `organization`. */
export function mayActFor(caller: Caller, organization: string, permission: Permission): boolean {
  return organizationOf(caller) === organization && grants(permissionsOf(caller), permission)
}
