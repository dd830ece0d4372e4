import {
  hasPermission,
  rolePermissions,
  splitPermission,
  type Permission,
  type PermissionMap,
  type Role,
} from './permission.ts'
import { createProblem, type ProblemError } from './problem.ts'

/** A caller without a valid credential: the request has none, or only a stale cookie. */
export interface AnonymousCaller {
  kind: 'anonymous'
}

/**
 * An API key. It belongs to one organization, and only its own permission map counts. With an application it sees and
 * uses only what belongs to that.
 */
export interface KeyCaller {
  kind: 'key'
  id: string
  organization: string
  /** The application that the key was made for; null if it is for the whole organization. */
  application: string | null
  permissions: PermissionMap
}

/** A signed-in member. `organization` is the active organization of the session, or null while none has been chosen. */
export interface MemberCaller {
  kind: 'member'
  session: string
  user: string
  organization: string | null
  role: Role | null
}

/** A buyer or card holder of one application. `email` and `phoneNumber` are set only after they have been verified. */
export interface EndUserCaller {
  kind: 'endUser'
  session: string
  user: string
  application: string
  organization: string
  email: string | null
  phoneNumber: string | null
}

/** A caller with a session. */
export type SessionCaller = MemberCaller | EndUserCaller

export type Caller = AnonymousCaller | KeyCaller | MemberCaller | EndUserCaller

/** A caller that acts for an organization. Every handler behind a permission receives one. */
export type OrganizationCaller = KeyCaller | (MemberCaller & { organization: string; role: Role })

/** Returns the permissions of a caller: those of the key itself, or those of the member's role. */
export function getCallerPermissions(caller: Caller): PermissionMap {
  if (caller.kind === 'key') return caller.permissions
  if (caller.kind === 'member' && caller.organization && caller.role) return rolePermissions[caller.role]
  return {}
}

/** Returns the organization that a caller acts for, or null for end users and anonymous callers. */
export function getCallerOrganization(caller: Caller): string | null {
  return caller.kind === 'key' || caller.kind === 'member' ? caller.organization : null
}

/** Returns the application that a caller's key was made for, or null for every other caller. */
export const getKeyApplication = (caller: Caller): string | null => (caller.kind === 'key' ? caller.application : null)

/** Checks whether a caller has `permission` for things that belong to `organization`. */
export function mayActFor(caller: Caller, organization: string, permission: Permission): boolean {
  return getCallerOrganization(caller) === organization && hasPermission(getCallerPermissions(caller), permission)
}

/** Creates the refusal of a caller who lacks a permission. */
export function createPermissionProblem({ kind }: Caller, permission: Permission): ProblemError {
  const pair = splitPermission(permission)
  const holder = kind === 'key' ? 'This key' : kind === 'member' ? 'Your role' : 'This session'
  const detail = `${holder} lacks the permission to ${pair.action} ${pair.resource}.`
  return createProblem('AUTH_INSUFFICIENT_PERMISSIONS', detail, { extra: { permission: pair } })
}
