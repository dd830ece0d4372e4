import type { AuthenticationResult } from '../../kernel/ports/identity.ts'
import { createPermissionProblem, getCallerPermissions, type Caller } from '../../kernel/caller.ts'
import { hasPermission, type Permission } from '../../kernel/permission.ts'
import { createOriginMismatchProblem, getRequestSite, type RequestSite } from '../../kernel/request/origin.ts'
import { createProblem, type ProblemError } from '../../kernel/problem.ts'
import { assertScope } from './application-scope.ts'
import type { AccessRule, OperationDeclaration, RequestDetails } from '../../kernel/operation.ts'

const createUnauthenticatedProblem = () =>
  createProblem('AUTH_UNAUTHENTICATED', 'This operation needs an API key or a session.')
const createWrongCallerProblem = (detail: string) => createProblem('AUTH_INSUFFICIENT_PERMISSIONS', detail)

/**
 * Checks that a caller may call an operation, also with a key that was made for one application.
 * @throws as `authorizeCaller` and `assertScope`
 */
export function authorizeOperation(caller: Caller, declaration: OperationDeclaration): void {
  authorizeCaller(caller, declaration.access.rule)
  assertScope(caller, declaration)
}

/**
 * Checks that a caller may call an operation. @throws AUTH_UNAUTHENTICATED (401) without a credential;
 * AUTH_MISSING_ORG_ID or AUTH_INSUFFICIENT_PERMISSIONS (403), which names the missing permission
 */
export function authorizeCaller(caller: Caller, access: AccessRule): void {
  if (access === 'public') return
  if (caller.kind === 'anonymous') throw createUnauthenticatedProblem()
  const refusalProblem =
    access === 'endUser'
      ? createProblemUnless(caller.kind === 'endUser', 'This operation is for the buyers of an application.')
      : access === 'member'
        ? createProblemUnless(caller.kind === 'member', 'This operation is for signed-in members.')
        : access === 'session'
          ? createProblemUnless(
              caller.kind !== 'key',
              'This operation is for people who are signed in; a key has no session.',
            )
          : access === 'keyOrMember'
            ? createProblemUnless(caller.kind !== 'endUser', 'This operation is for keys and signed-in members.')
            : access === 'signedIn'
              ? findOrganizationProblem(caller)
              : findPermissionProblem(caller, typeof access === 'string' ? [access] : access)
  if (refusalProblem) throw refusalProblem
}

const createProblemUnless = (fits: boolean, detail: string): ProblemError | null =>
  fits ? null : createWrongCallerProblem(detail)

function findOrganizationProblem(caller: Caller): ProblemError | null {
  if (caller.kind !== 'member' || (caller.organization && caller.role)) return null
  return createProblem('AUTH_MISSING_ORG_ID', 'No organization is active in this session. Choose one with set-active.')
}

/** One of the permissions is enough. The problem names the first one. */
function findPermissionProblem(caller: Caller, permissions: readonly Permission[]): ProblemError | null {
  const organizationProblem = findOrganizationProblem(caller)
  if (organizationProblem) return organizationProblem
  const [first] = permissions
  if (first === undefined) throw new Error('An operation names no permission')
  const has = permissions.some((permission) => hasPermission(getCallerPermissions(caller), permission))
  return has ? null : createPermissionProblem(caller, first)
}

/**
 * Refuses a write that a page of another site sent. A form must come from our own pages, even without a session;
 * otherwise another site could sign its visitor in to a foreign account (OWASP, "Login CSRF"). The same holds for a
 * write whose credential is a cookie. An operation that changes the session sets a cookie, so it is accepted only from
 * our pages or from a program. A sign-in route checks the origin itself, because it also serves the pages of its
 * application, which get no cookie. @throws AUTH_ORIGIN_MISMATCH
 */
export function authorizeOrigin(
  { cameInCookie }: AuthenticationResult,
  declaration: OperationDeclaration,
  headers: RequestDetails['headers'],
  ownSites: ReadonlySet<string>,
): void {
  const { method, access, transport } = declaration
  if (method === 'GET' || access.allowsAnyOrigin) return
  const allowedSites: readonly RequestSite[] | null =
    transport.page || cameInCookie ? ['own'] : access.changesSession ? ['own', 'none'] : null
  if (allowedSites && !allowedSites.includes(getRequestSite(headers, ownSites))) throw createOriginMismatchProblem()
}
