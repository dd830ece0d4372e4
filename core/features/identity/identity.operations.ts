import { json } from '../../kernel/answer.ts'
import { operation, type Operation, type RequestFacts } from '../../kernel/operation.ts'
import {
  CurrentSession, EndUserSession, Membership, MemberSession, MemberSignIn, SendCode, SendMemberCode, SetActive,
  VerifyCode,
} from './identity.schema.ts'
import { invalidSession } from './credentials.ts'
import { chooseOrganization, currentSession, sessionCookie, signOut } from './sessions.ts'
import { sessionOperations } from './sessions/operations.ts'
import { sendBuyerCode, sendMemberCode, signInBuyer, signInMember } from './sign-in.ts'

const tag = 'Sign-in'
/** Answers with a token are for their receiver alone. Source: RFC 6749, section 5.1. */
const headers = { 'Cache-Control': 'no-store' }
const byCode = { tag, access: 'public', anyOrigin: true, headers } as const

const network = ({ headers }: RequestFacts): string | undefined => [headers['x-network']].flat()[0]

export const sendCodeOperation = operation({
  id: 'send_otp_v1', method: 'POST', path: '/v1/auth/send-otp', ...byCode,
  summary: 'Send a one-time code to a buyer',
  description: 'Six digits, good for 10 minutes, for one use and at most 5 wrong tries. The answer is the same for people '
    + 'who are not known. At most 5 codes an hour go to one address for one application, and fewer than the installation\'s limits for '
    + 'one asking address, one application and one organization; then 429 with `Retry-After`. A browser may send this from '
    + 'our pages and from the application\'s domains.',
  body: SendCode, returns: { 204: null }, problems: ['NOT_FOUND', 'RATE_LIMITED', 'AUTH_ORIGIN_MISMATCH'],
}).performedBy(async ({ body, context, request }) => {
  await sendBuyerCode(context, body, request)
})

export const verifyCode = operation({
  id: 'verify_otp_v1', method: 'POST', path: '/v1/auth/verify-otp', ...byCode,
  summary: 'Sign a buyer in with a one-time code',
  description: 'Makes the user, the account and its wallet at the first sign-in. The header `X-Network` picks the network '
    + 'of the account, else it is the application\'s default. Sets the cookie `tessera.user`, but not for a page on the application\'s domains, which uses the token.',
  body: VerifyCode, returns: { 200: EndUserSession }, problems: ['NOT_FOUND', 'AUTH_INVALID_OTP', 'AUTH_ORIGIN_MISMATCH'],
}).performedBy(async ({ body, context, request }) => {
  const { session, carrier } = await signInBuyer(context, body, { network: network(request), request })
  if (carrier === 'bearer') return json(session)
  return json(session, { 'Set-Cookie': sessionCookie(context, 'endUser', session.token, session.expiresAt) })
})

export const getSession = operation({
  id: 'get_session_v1', method: 'GET', path: '/v1/auth/session', tag, access: 'public', headers,
  summary: 'Who is signed in', description: 'The member or buyer of the session that the request carries; else 401.',
  returns: { 200: CurrentSession },
  problems: ['AUTH_UNAUTHENTICATED', 'AUTH_INSUFFICIENT_PERMISSIONS'],
}).readBy(({ caller, work }) => currentSession(work.context, caller))

export const signOutOperation = operation({
  id: 'sign_out_v1', method: 'POST', path: '/v1/auth/sign-out', tag, access: 'public', headers, changesSession: true,
  summary: 'End the session', description: 'Ends the session of the request, if it has one, and takes its cookie back.',
  returns: { 204: null }, problems: ['AUTH_INSUFFICIENT_PERMISSIONS'],
}).performedBy(async ({ caller, context, request }) =>
  json(null, { 'Set-Cookie': await signOut(context, caller, request) }))

/** Path and body are those of the library's e-mail code plug-in, whose clients so find what they know. */
export const sendMemberCodeOperation = operation({
  id: 'send_member_otp_v1', method: 'POST', path: '/v1/auth/email-otp/send-verification-otp', ...byCode,
  summary: 'Send a one-time code to a member',
  description: 'As `send-otp`, for people who work in an organization. Whoever receives mail at the address can sign in; '
    + 'what they may do is a matter of their roles.',
  body: SendMemberCode, returns: { 204: null }, problems: ['RATE_LIMITED', 'AUTH_ORIGIN_MISMATCH'],
}).performedBy(async ({ body, context, request }) => {
  await sendMemberCode(context, body.email, request)
})

/** Path and body are those of the library's e-mail code plug-in. */
export const signInMemberOperation = operation({
  id: 'sign_in_email_otp_v1', method: 'POST', path: '/v1/auth/sign-in/email-otp', ...byCode,
  summary: 'Sign a member in with a one-time code',
  description: 'Sets the cookie `tessera.session`. Choose an organization next.',
  body: MemberSignIn, returns: { 200: MemberSession }, problems: ['AUTH_INVALID_OTP', 'AUTH_ORIGIN_MISMATCH'],
}).performedBy(async ({ body, context, request }) => {
  const session = await signInMember(context, body, request)
  return json(session, { 'Set-Cookie': sessionCookie(context, 'member', session.token, session.expiresAt) })
})

/** Path and body are those of the library's organization plug-in. */
export const setActive = operation({
  id: 'set_active_organization_v1', method: 'POST', path: '/v1/auth/organization/set-active',
  tag, access: 'member', headers, changesSession: true,
  summary: 'Choose the organization to act for', description: 'Holds for this session from the next request.',
  body: SetActive, returns: { 200: Membership }, problems: ['NOT_FOUND'],
}).performedBy(({ body, caller, context, request }) => {
  if (request.credential === null) throw invalidSession()
  return chooseOrganization(context, caller, request.credential, body)
})

export const identityOperations: Operation[] = [
  sendCodeOperation, verifyCode, getSession, signOutOperation, sendMemberCodeOperation, signInMemberOperation,
  setActive, ...sessionOperations,
]
