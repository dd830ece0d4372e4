import { redirect } from '../kernel/answer.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { object, optional, string } from '../kernel/schema.ts'
import { readProvenDomains } from '../features/applications/index.ts'
import {
  chooseOrganization, membershipsOf, sendMemberCode, sessionCookie, signInMember, signOut,
} from '../features/identity/index.ts'
import { consolePage, entry, forMembers, isWay, nextOf } from './console.ts'
import { codeForm, emailForm, organizations } from './sign-in.views.ts'

const next = optional(string('The page to go to afterwards.', { maxLength: 300 }))
const email = string('E-mail address of the member.', { maxLength: 320 })
const way = (path: string, wanted: string | undefined) => `${path}?next=${encodeURIComponent(nextOf(wanted))}`

const home = operation({
  id: 'console_page_v1', method: 'GET', path: '/console', summary: 'The way to the first page of the console',
  ...forMembers,
}).readBy(async ({ caller }) => {
  const member = entry(caller, '/console/imports')
  return isWay(member) ? member : redirect('/console/imports', undefined, 303)
})

/** First step: the address. */
const start = operation({
  id: 'console_sign_in_page_v1', method: 'GET', path: '/console/sign-in', summary: 'Sign-in of members', ...forMembers,
  query: { next },
}).readBy(async ({ caller, query }) =>
  caller.kind === 'member' ? redirect(nextOf(query.next), undefined, 303) : emailForm(nextOf(query.next)))

/** Second step: the code is on its way. The page is the same for people who are not known. */
const sendCode = operation({
  id: 'console_code_page_v1', method: 'POST', path: '/console/sign-in', summary: 'Send a member a code', ...forMembers,
  body: object({ email, next }),
}).performedBy(async ({ body, context, request }) => {
  const given = { email: body.email.trim(), next: nextOf(body.next) }
  try {
    await sendMemberCode(context, given.email, request)
    return codeForm(given)
  } catch (error) {
    if (error instanceof Problem) return emailForm(given.next, given.email, error)
    throw error
  }
})

/** Third step: the code opens the session. Of one organization nobody has to choose. */
const signIn = operation({
  id: 'console_session_page_v1', method: 'POST', path: '/console/sign-in/code', summary: 'Sign a member in',
  ...forMembers,
  body: object({ email, next, otp: string('The six digits.', { maxLength: 20 }) }),
}).performedBy(async ({ body, context, request }) => {
  const given = { email: body.email.trim(), next: nextOf(body.next) }
  try {
    const digits = body.otp.replace(/\D/g, '')
    const { token, expiresAt, user, organizations: found } = await signInMember(context, { email: given.email, otp: digits }, request)
    const [only] = found
    if (only && found.length === 1) {
      const caller = { kind: 'member', session: '', user: user.id, organization: null, role: null } as const
      await chooseOrganization(context, caller, token, { organizationId: only.id })
    }
    const to = found.length === 1 ? given.next : way('/console/organization', given.next)
    return redirect(to, { 'Set-Cookie': sessionCookie(context, 'member', token, expiresAt) }, 303)
  } catch (error) {
    if (error instanceof Problem) return codeForm(given, error)
    throw error
  }
})

const choose = operation({
  id: 'console_organizations_page_v1', method: 'GET', path: '/console/organization', summary: 'Choose an organization',
  ...forMembers,
  query: { next },
}).readBy(async ({ caller, query, work }) => {
  if (caller.kind !== 'member') return redirect(way('/console/sign-in', query.next), undefined, 303)
  const found = await membershipsOf(work.context.db, caller.user)
  const domains = await readProvenDomains(work.context.db, found.map(({ id }) => id))
  const content = organizations({ found, domains, active: caller.organization, next: nextOf(query.next) })
  return consolePage(work.context, caller, { title: 'Organizations', wide: false }, content)
})

const setActive = operation({
  id: 'console_organization_page_v1', method: 'POST', path: '/console/organization', summary: 'Work for an organization',
  ...forMembers,
  body: object({ organization: string('Identifier of the organization.', { maxLength: 36 }), next }),
}).performedBy(async ({ body, caller, context, request }) => {
  if (caller.kind !== 'member' || request.credential === null) {
    return redirect(way('/console/sign-in', body.next), undefined, 303)
  }
  await chooseOrganization(context, caller, request.credential, { organizationId: body.organization })
  return redirect(nextOf(body.next), undefined, 303)
})

const leave = operation({
  id: 'console_sign_out_page_v1', method: 'POST', path: '/console/sign-out', summary: 'Sign out', ...forMembers,
}).performedBy(async ({ caller, context, request }) => {
  const cookie = await signOut(context, caller, request)
  return redirect('/console/sign-in', { 'Set-Cookie': cookie }, 303)
})

/** How members come in, and for whom they work. */
export const signInOperations: Operation[] = [home, start, sendCode, signIn, choose, setActive, leave]
