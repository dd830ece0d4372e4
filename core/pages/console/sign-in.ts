import { answerRedirect } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { object, optional, string } from '../../kernel/schema.ts'
import { readProvenDomains } from '../../features/applications/index.ts'
import {
  chooseOrganization,
  listDeletedOrganizations,
  readMemberships,
  restoreOrganization,
  sendMemberCode,
  createSessionCookie,
  signInMember,
  signOut,
} from '../../features/identity/index.ts'
import { addNext, renderConsolePage, memberPageOptions, getNextPath, signInPath } from './console.ts'
import { detectLanguage } from './frame/frame.ts'
import { signInWords } from './sign-in.words.ts'
import { renderCodeForm, renderEmailForm, renderOrganizations } from './sign-in.views.ts'

const nextParameter = optional(string('The page to go to afterwards.', { maxLength: 300 }))
const emailParameter = string('E-mail address of the member.', { maxLength: 320 })

/** The first step: the e-mail address. */
const startOperation = declareOperation({
  id: 'console_sign_in_page_v1',
  method: 'GET',
  path: signInPath,
  ...memberPageOptions,
  query: { next: nextParameter },
  document: { tag: 'Pages', summary: 'Sign-in of members' },
}).withReadHandler(async ({ caller, query, request }) =>
  caller.kind === 'member'
    ? answerRedirect(getNextPath(query.next), undefined, 303)
    : renderEmailForm(detectLanguage(request), getNextPath(query.next)),
)

/** The second step: a code is sent. The page is the same for unknown people. */
const sendCodeOperation = declareOperation({
  id: 'console_code_page_v1',
  method: 'POST',
  path: signInPath,
  ...memberPageOptions,
  body: object({ email: emailParameter, next: nextParameter }),
  document: { tag: 'Pages', summary: 'Send a member a code' },
}).withOutboundHandler(async ({ body, context, request }) => {
  const given = { email: body.email.trim(), next: getNextPath(body.next) }
  try {
    await sendMemberCode(context, given.email, request, detectLanguage(request))
    return renderCodeForm(detectLanguage(request), given)
  } catch (error) {
    if (error instanceof ProblemError) return renderEmailForm(detectLanguage(request), given.next, given.email, error)
    throw error
  }
})

/** The third step: the code opens the session. A member of a single organization does not have to choose it. */
const signInOperation = declareOperation({
  id: 'console_session_page_v1',
  method: 'POST',
  path: `${signInPath}/code`,
  ...memberPageOptions,
  body: object({ email: emailParameter, next: nextParameter, otp: string('The six digits.', { maxLength: 20 }) }),
  document: { tag: 'Pages', summary: 'Sign a member in' },
}).withOutboundHandler(async ({ body, context, request }) => {
  const form = { email: body.email.trim(), next: getNextPath(body.next) }
  try {
    const digits = body.otp.replace(/\D/g, '')
    const {
      token,
      expiresAt,
      user,
      organizations: found,
    } = await signInMember(context, { email: form.email, otp: digits }, request)
    const [only] = found
    if (only && found.length === 1) {
      const caller = { kind: 'member', session: '', user: user.id, organization: null, role: null } as const
      await chooseOrganization(context, caller, token, { organizationId: only.id })
    }
    const isInvited = form.next.startsWith('/console/invitations/')
    const to = found.length === 1 || isInvited ? form.next : addNext('/console/organizations', form.next)
    return answerRedirect(to, { 'Set-Cookie': createSessionCookie(context, 'member', token, expiresAt) }, 303)
  } catch (error) {
    if (error instanceof ProblemError) return renderCodeForm(detectLanguage(request), form, error)
    throw error
  }
})

const chooseOperation = declareOperation({
  id: 'console_organizations_page_v1',
  method: 'GET',
  path: '/console/organizations',
  ...memberPageOptions,
  query: { next: nextParameter },
  document: { tag: 'Pages', summary: 'Choose an organization' },
}).withReadHandler(async ({ caller, query, request, work }) => {
  if (caller.kind !== 'member') return answerRedirect(addNext(signInPath, query.next), undefined, 303)
  const { db } = work.context
  const language = detectLanguage(request)
  const [memberships, deleted] = await Promise.all([
    readMemberships(db, caller.user),
    listDeletedOrganizations(db, caller.user),
  ])
  const domains = await readProvenDomains(
    db,
    memberships.map(({ id }) => id),
  )
  const choice = { memberships, deleted, domains, active: caller.organization, next: getNextPath(query.next) }
  return renderConsolePage(
    work.context,
    caller,
    {
      title: signInWords[language].organizations,
      wide: false,
      needsNoAcceptance: true,
      lang: language,
      here: '/console/organizations',
    },
    renderOrganizations(choice, language),
  )
})

const setActiveOperation = declareOperation({
  id: 'console_organization_page_v1',
  method: 'POST',
  path: '/console/organizations',
  ...memberPageOptions,
  body: object({ organization: string('Identifier of the organization.', { maxLength: 36 }), next: nextParameter }),
  document: { tag: 'Pages', summary: 'Work for an organization' },
}).withOutboundHandler(async ({ body, caller, context, request }) => {
  if (caller.kind !== 'member' || request.credential === null) {
    return answerRedirect(addNext(signInPath, body.next), undefined, 303)
  }
  await chooseOrganization(context, caller, request.credential, { organizationId: body.organization })
  return answerRedirect(getNextPath(body.next), undefined, 303)
})

const restoreOperation = declareOperation({
  id: 'console_organization_restore_page_v1',
  method: 'POST',
  path: '/console/organizations/:id/restore',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Restore a deleted organization' },
}).withOutboundHandler(async ({ caller, finish, params }) => {
  if (caller.kind !== 'member') return answerRedirect(addNext(signInPath, '/console/organizations'), undefined, 303)
  return finish(async (work) => {
    await restoreOrganization(work, caller, params.id)
    return answerRedirect('/console/organizations', undefined, 303)
  })
})

const signOutOperation = declareOperation({
  id: 'console_sign_out_page_v1',
  method: 'POST',
  path: '/console/sign-out',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Sign out' },
}).withOutboundHandler(async ({ caller, context, request }) => {
  const cookie = await signOut(context, caller, request)
  return answerRedirect(signInPath, { 'Set-Cookie': cookie }, 303)
})

/** The pages where members sign in and choose the organization to work for. */
export const signInOperations: Operation[] = [
  startOperation,
  sendCodeOperation,
  signInOperation,
  chooseOperation,
  setActiveOperation,
  restoreOperation,
  signOutOperation,
]
