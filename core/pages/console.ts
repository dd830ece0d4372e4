import { isAnswer, redirect, type Answer } from '../kernel/answer.ts'
import { permissionsOf, type Caller, type MemberCaller } from '../kernel/caller.ts'
import { grants, type Permission, type Role } from '../kernel/permission.ts'
import { problem } from '../kernel/problem.ts'
import type { Context } from '../kernel/work.ts'
import { readProvenDomain } from '../features/applications/index.ts'
import { documentFaultOf } from '../features/certification/index.ts'
import { membershipsOf, showUser } from '../features/identity/index.ts'
import { html, type Markup } from './html.ts'
import { page, type PageOptions } from './layout.ts'
import { documentNotice } from './notices/document.views.ts'

/** A member who acts for an organization. */
export type ActiveMember = MemberCaller & { organization: string; role: Role }

export const html200 = { 200: { type: 'text/html', description: 'The page.' } } as const

/**
 * What all pages for members have in common: they are reached without a credential, to lead to the sign-in. A form is
 * taken from our own pages only: the pipeline holds the Origin of each form against ours, with a session or without
 * (`checkOrigin` of http/permit.ts), so forms carry no token of their own.
 * Source: OWASP, Cross-Site Request Forgery Prevention, "Using Standard Headers to Verify Origin".
 */
export const forMembers = { tag: 'Pages', access: 'public', page: 'member', returns: html200 } as const

const within = /^\/console(\/[\w-]+)*$/

/** Where somebody goes after the sign-in: a page of ours, or the first one. */
export const nextOf = (wanted: string | undefined): string =>
  (within.test(wanted ?? '') ? String(wanted) : '/console/imports')

/** The member, or the way to the page that is missing: sign-in, or the choice of an organization. */
export function entry(caller: Caller, wanted: string): ActiveMember | Answer {
  const next = `?next=${encodeURIComponent(nextOf(wanted))}`
  if (caller.kind !== 'member') return redirect(`/console/sign-in${next}`, undefined, 303)
  const { organization, role } = caller
  if (organization === null || role === null) return redirect(`/console/organization${next}`, undefined, 303)
  return { ...caller, organization, role }
}
export const isWay = (found: ActiveMember | Answer): found is Answer => isAnswer(found)

export const may = (caller: Caller, permission: Permission): boolean => grants(permissionsOf(caller), permission)

/** @throws AUTH_INSUFFICIENT_PERMISSIONS for a role that lacks it */
export function demand(caller: Caller, permission: Permission): void {
  if (may(caller, permission)) return
  throw problem('AUTH_INSUFFICIENT_PERMISSIONS', 'Your role does not allow this. Ask an owner or an administrator.')
}

/** Says what of an organization is proven beside its name, which anybody may choose. */
export const confirmationOf = (domain: string | undefined): string => domain ?? 'not confirmed'

/** A page of the console: above it who works for whom, the ways to the others, and what of the organization cannot wait. */
export async function consolePage(
  context: Context, member: MemberCaller, options: PageOptions, content: Markup,
): Promise<Answer> {
  const { db } = context
  const [organizations, user] = await Promise.all([membershipsOf(db, member.user), showUser(db, member.user)])
  const active = organizations.find(({ id }) => id === member.organization)
  const [domain, fault] = active ? await Promise.all([readProvenDomain(db, active.id), documentFaultOf(db, context, active.id)]) : []
  const others = organizations.length > 1 && html` (<a href="/console/organization">change</a>)`
  const top = html`<header class="top"><div>
<a class="brand" href="/console">Tessera</a>
${active && html`<nav aria-label="Console"><a href="/console/imports">Imports</a></nav>`}
<p class="quiet">${active && html`<strong>${active.name}</strong> (${confirmationOf(domain)}), ${active.role}${others}<br>`}${user.email} (<a href="/console/sessions">sessions</a>)</p>
<form method="post" action="/console/sign-out"><button class="small plain">Sign out</button></form>
</div></header>`
  return page({ wide: true, ...options, top }, html`${documentNotice(fault)}${content}`)
}
