import { answerJson } from '../../kernel/answer.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { consoleLanguages, negotiateLanguage } from '../../kernel/text/languages.ts'
import { languages } from '../../languages/index.ts'
import {
  CurrentSession,
  EndUserSession,
  Membership,
  MemberSession,
  MemberSignIn,
  SendCode,
  SendMemberCode,
  SetActive,
  VerifyCode,
} from './identity.schema.ts'
import { createInvalidSessionProblem } from './keys/credentials.ts'
import { invitationOperations } from './invitations/invitations.operations.ts'
import { legalOperations } from './legal/legal.operations.ts'
import { memberOperations } from './members/members.operations.ts'
import { organizationOperations } from './organizations/organizations.operations.ts'
import { providerOperations } from './providers/providers.operations.ts'
import { chooseOrganization, readCurrentSession, createSessionCookie, signOut } from './sessions.ts'
import { sessionOperations } from './sessions/operations.ts'
import { sendBuyerCode, sendMemberCode, signInBuyer, signInMember } from './sign-in.ts'

const tag = 'Sign-in'
/** No cache may store an answer with a token. Source: RFC 6749, section 5.1. */
const headers = { 'Cache-Control': 'no-store' }
const codeOperationDefaults = { access: { rule: 'public', allowsAnyOrigin: true }, transport: { headers } } as const

const getNetworkHeader = ({ headers }: RequestDetails): string | undefined => [headers['x-network']].flat()[0]

export const sendCodeOperation = declareOperation({
  id: 'send_otp_v1',
  method: 'POST',
  path: '/v1/auth/send-otp',
  ...codeOperationDefaults,
  body: SendCode,
  returns: { 204: null },
  problemCodes: ['NOT_FOUND', 'RATE_LIMITED', 'AUTH_ORIGIN_MISMATCH'],
  document: {
    tag,
    summary: 'Send a one-time code to a buyer',
    description:
      'Six digits, good for 10 minutes, for one use and at most 5 wrong tries. The answer is the same for people '
      + "who are not known. At most 5 codes an hour go to one address for one application, and fewer than the installation's limits for "
      + 'one asking address, one application and one organization; then 429 with `Retry-After`. A browser may send this from '
      + "our pages and from the application's domains. The message is in the language that `Accept-Language` prefers: English, "
      + 'French, German, Italian or Spanish.',
  },
}).withOutboundHandler(async ({ body, context, request }) => {
  const language = negotiateLanguage(languages, request.headers['accept-language'])
  await sendBuyerCode(context, body, request, language)
})

export const verifyCodeOperation = declareOperation({
  id: 'verify_otp_v1',
  method: 'POST',
  path: '/v1/auth/verify-otp',
  ...codeOperationDefaults,
  body: VerifyCode,
  returns: { 200: EndUserSession },
  problemCodes: ['NOT_FOUND', 'AUTH_INVALID_OTP', 'AUTH_ORIGIN_MISMATCH'],
  document: {
    tag,
    summary: 'Sign a buyer in with a one-time code',
    description:
      'Makes the user, the account and its wallet at the first sign-in. The header `X-Network` picks the network '
      + "of the account, else it is the application's default. Sets the cookie `tessera.user`, but not for a page on the application's domains, which uses the token.",
  },
}).withOutboundHandler(async ({ body, context, request }) => {
  const { session, carrier } = await signInBuyer(context, body, { network: getNetworkHeader(request), request })
  if (carrier === 'bearer') return answerJson(session)
  return answerJson(session, {
    'Set-Cookie': createSessionCookie(context, 'endUser', session.token, session.expiresAt),
  })
})

export const getSessionOperation = declareOperation({
  id: 'get_session_v1',
  method: 'GET',
  path: '/v1/auth/session',
  access: 'public',
  scope: {},
  returns: { 200: CurrentSession },
  problemCodes: ['AUTH_UNAUTHENTICATED', 'AUTH_INSUFFICIENT_PERMISSIONS'],
  transport: { headers },
  document: {
    tag,
    summary: 'Who is signed in',
    description: 'The member or buyer of the session that the request carries; else 401.',
  },
}).withReadHandler(({ caller, work }) => readCurrentSession(work.context, caller))

export const signOutOperation = declareOperation({
  id: 'sign_out_v1',
  method: 'POST',
  path: '/v1/auth/sign-out',
  access: { rule: 'public', changesSession: true },
  returns: { 204: null },
  problemCodes: ['AUTH_INSUFFICIENT_PERMISSIONS'],
  transport: { headers },
  document: {
    tag,
    summary: 'End the session',
    description: 'Ends the session of the request, if it has one, and takes its cookie back.',
  },
}).withOutboundHandler(async ({ caller, context, request }) =>
  answerJson(null, { 'Set-Cookie': await signOut(context, caller, request) }),
)

/**
 * The operation has the path and the body of the library's e-mail code plug-in, so that clients of the plug-in can use
 * it.
 */
export const sendMemberCodeOperation = declareOperation({
  id: 'send_member_otp_v1',
  method: 'POST',
  path: '/v1/auth/email-otp/send-verification-otp',
  ...codeOperationDefaults,
  body: SendMemberCode,
  returns: { 204: null },
  problemCodes: ['RATE_LIMITED', 'AUTH_ORIGIN_MISMATCH'],
  document: {
    tag,
    summary: 'Send a one-time code to a member',
    description:
      'As `send-otp`, for people who work in an organization. Whoever receives mail at the address can sign in; '
      + 'what they may do is a matter of their roles. The message is in English or French.',
  },
}).withOutboundHandler(async ({ body, context, request }) => {
  const language = negotiateLanguage(consoleLanguages, request.headers['accept-language'])
  await sendMemberCode(context, body.email, request, language)
})

/** The operation has the path and the body of the library's e-mail code plug-in. */
export const signInMemberOperation = declareOperation({
  id: 'sign_in_email_otp_v1',
  method: 'POST',
  path: '/v1/auth/sign-in/email-otp',
  ...codeOperationDefaults,
  body: MemberSignIn,
  returns: { 200: MemberSession },
  problemCodes: ['AUTH_INVALID_OTP', 'AUTH_ORIGIN_MISMATCH'],
  document: {
    tag,
    summary: 'Sign a member in with a one-time code',
    description: 'Sets the cookie `tessera.session`. Choose an organization next.',
  },
}).withOutboundHandler(async ({ body, context, request }) => {
  const session = await signInMember(context, body, request)
  return answerJson(session, { 'Set-Cookie': createSessionCookie(context, 'member', session.token, session.expiresAt) })
})

/** The operation has the path and the body of the library's organization plug-in. */
export const setActiveOrganizationOperation = declareOperation({
  id: 'set_active_organization_v1',
  method: 'POST',
  path: '/v1/auth/organization/set-active',
  access: { rule: 'member', changesSession: true },
  body: SetActive,
  returns: { 200: Membership },
  problemCodes: ['NOT_FOUND'],
  transport: { headers },
  document: {
    tag,
    summary: 'Choose the organization to act for',
    description: 'Holds for this session from the next request.',
  },
}).withOutboundHandler(({ body, caller, context, request }) => {
  if (request.credential === null) throw createInvalidSessionProblem()
  return chooseOrganization(context, caller, request.credential, body)
})

export const identityOperations: Operation[] = [
  sendCodeOperation,
  verifyCodeOperation,
  getSessionOperation,
  signOutOperation,
  sendMemberCodeOperation,
  signInMemberOperation,
  setActiveOrganizationOperation,
  ...providerOperations,
  ...sessionOperations,
  ...organizationOperations,
  ...legalOperations,
  ...memberOperations,
  ...invitationOperations,
]
