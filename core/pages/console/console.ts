import { isAnswer, answerRedirect, type Answer } from '../../kernel/answer.ts'
import { getCallerPermissions, type Caller, type MemberCaller } from '../../kernel/caller.ts'
import { hasPermission, type Permission, type Role } from '../../kernel/permission.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { readProvenDomain } from '../../features/applications/index.ts'
import { findDidDocumentWarning } from '../../features/certification/index.ts'
import { readMemberships, readSessionUser } from '../../features/identity/index.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage, type PageOptions } from '../site/layout.ts'
import { renderDocumentNotice } from '../notices/document.views.ts'

/** A member who acts for an organization. */
export type ActiveMember = MemberCaller & { organization: string; role: Role }

export const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const

/**
 * The options that all pages for members have in common. They are public, so that callers without a credential are
 * redirected to the sign-in. Forms are accepted from our own pages only: the pipeline compares the Origin of each form
 * with ours, with a session or without (`authorizeOrigin` of http/pipeline/authorize.ts), so forms carry no token of
 * their own.
 * Source: OWASP, Cross-Site Request Forgery Prevention, "Using Standard Headers to Verify Origin".
 */
export const memberPageOptions = { access: 'public', transport: { page: 'member' }, returns: htmlResponse } as const

const consolePathPattern = /^\/console(\/[\w-]+)*$/

/**
 * Returns the path to go to after the sign-in: the wanted one if it is a page of the console, otherwise the first page.
 */
export const getNextPath = (wanted: string | undefined): string =>
  consolePathPattern.test(wanted ?? '') ? String(wanted) : '/console/imports'

/** Returns the member, or a redirect to what is missing: the sign-in, or the choice of an organization. */
export function getMemberOrRedirect(caller: Caller, wanted: string): ActiveMember | Answer {
  const next = `?next=${encodeURIComponent(getNextPath(wanted))}`
  if (caller.kind !== 'member') return answerRedirect(`/console/sign-in${next}`, undefined, 303)
  const { organization, role } = caller
  if (organization === null || role === null) return answerRedirect(`/console/organization${next}`, undefined, 303)
  return { ...caller, organization, role }
}
export const isRedirect = (found: ActiveMember | Answer): found is Answer => isAnswer(found)

export const may = (caller: Caller, permission: Permission): boolean =>
  hasPermission(getCallerPermissions(caller), permission)

/** @throws AUTH_INSUFFICIENT_PERMISSIONS if the member's role lacks the permission */
export function assertPermission(caller: Caller, permission: Permission): void {
  if (may(caller, permission)) return
  throw createProblem(
    'AUTH_INSUFFICIENT_PERMISSIONS',
    'Your role does not allow this. Ask an owner or an administrator.',
  )
}

/** Returns the proven domain of an organization, to be shown beside its name, which anybody may choose. */
export const formatConfirmation = (domain: string | undefined): string => domain ?? 'not confirmed'

/**
 * Renders a page of the console. Above the content it shows the member, the organization, links to other pages, and
 * urgent notices for the organization.
 */
export async function renderConsolePage(
  context: Context,
  member: MemberCaller,
  options: PageOptions,
  content: Markup,
): Promise<Answer> {
  const { db } = context
  const [organizations, user] = await Promise.all([readMemberships(db, member.user), readSessionUser(db, member.user)])
  const active = organizations.find(({ id }) => id === member.organization)
  const [domain, fault] = active
    ? await Promise.all([readProvenDomain(db, active.id), findDidDocumentWarning(db, context, active.id)])
    : []
  const others = organizations.length > 1 && html` (<a href="/console/organization">change</a>)`
  const top = html`<header class="top"><div>
<a class="brand" href="/console">Tessera</a>
${active && html`<nav aria-label="Console"><a href="/console/imports">Imports</a></nav>`}
<p class="quiet">${active && html`<strong>${active.name}</strong> (${formatConfirmation(domain)}), ${active.role}${others}<br>`}${user.email} (<a href="/console/sessions">sessions</a>)</p>
<form method="post" action="/console/sign-out"><button class="small plain">Sign out</button></form>
</div></header>`
  return renderPage({ wide: true, ...options, top }, html`${renderDocumentNotice(fault)}${content}`)
}
