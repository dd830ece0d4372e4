import { answerRedirect, type Answer } from '../../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../../kernel/operation.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readProvenDomain } from '../../../features/applications/index.ts'
import {
  acceptInvitation,
  chooseOrganization,
  declineInvitation,
  readOwnInvitation,
  readSessionUser,
} from '../../../features/identity/index.ts'
import { html } from '../../site/html.ts'
import { memberPageOptions, renderConsolePage } from '../console.ts'
import { detectLanguage } from '../loyalty/frame.ts'
import { loyaltyWords } from '../loyalty/words/words.ts'
import { peopleWords } from './words.ts'

const path = '/console/invitations'
const isMember = (caller: Caller): caller is MemberCaller => caller.kind === 'member'
const redirectToSignIn = (id: string) =>
  answerRedirect(`/console/sign-in?next=${encodeURIComponent(`${path}/${id}`)}`, undefined, 303)

/** The page that an invitation's mail leads to: who invites, to what, and the two answers. */
const showOperation = declareOperation({
  id: 'console_invitation_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'An invitation' },
}).withReadHandler(({ caller, params, request, work }) => {
  if (!isMember(caller)) return Promise.resolve(redirectToSignIn(params.id))
  return answerOr(work, caller, request, async () => {
    const { organization, invitation } = await readOwnInvitation(work, caller, params.id)
    const phrases = peopleWords[detectLanguage(request)]
    if (invitation.status !== 'pending')
      return renderMessage(work, caller, request, phrases.endedTitle, phrases.endedText)
    const domain = await readProvenDomain(work.trx, organization.id)
    const { notConfirmed } = loyaltyWords[detectLanguage(request)]
    return renderConsolePage(
      work.context,
      caller,
      { title: phrases.invitation, wide: false, lang: detectLanguage(request), here: `${path}/${params.id}` },
      html`<h1>${phrases.invitation}</h1>
<section class="card" aria-label="${phrases.invitation}"><p><strong>${organization.name}</strong> <span class="quiet">(${domain ?? notConfirmed})</span></p>
<p>${phrases.invitationText(phrases.roles[invitation.role])}</p>
<div class="row"><form method="post" action="${path}/${params.id}/accept"><button>${phrases.accept}</button></form>
<form method="post" action="${path}/${params.id}/decline"><button class="plain">${phrases.decline}</button></form></div></section>`,
    )
  })
})

const acceptOperation = declareOperation({
  id: 'console_invitation_accept_page_v1',
  method: 'POST',
  path: `${path}/:id/accept`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Accept an invitation' },
}).withOutboundHandler(({ caller, context, finish, params, request, work }) => {
  if (!isMember(caller)) return Promise.resolve(redirectToSignIn(params.id))
  return answerOr(work, caller, request, async () => {
    let organizationId = ''
    const answer = await finish(async (inner) => {
      organizationId = (await acceptInvitation(inner, caller, params.id)).id
      return answerRedirect('/console', undefined, 303)
    })
    if (request.credential !== null) await chooseOrganization(context, caller, request.credential, { organizationId })
    return answer
  })
})

const declineOperation = declareOperation({
  id: 'console_invitation_decline_page_v1',
  method: 'POST',
  path: `${path}/:id/decline`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Decline an invitation' },
}).withOutboundHandler(({ caller, finish, params, request, work }) => {
  if (!isMember(caller)) return Promise.resolve(redirectToSignIn(params.id))
  return answerOr(work, caller, request, async () => {
    const phrases = peopleWords[detectLanguage(request)]
    return finish(async (inner) => {
      await declineInvitation(inner, caller, params.id)
      return renderMessage(inner, caller, request, phrases.declinedTitle, phrases.declinedText)
    })
  })
})

/** Answers what `act` does, or a page that says why there is nothing to accept. */
async function answerOr(
  work: Work,
  caller: MemberCaller,
  request: RequestDetails,
  act: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act()
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause
    const phrases = peopleWords[detectLanguage(request)]
    if (cause.code === 'INVITATION_NOT_OPEN')
      return renderMessage(work, caller, request, phrases.endedTitle, phrases.endedText, cause.status)
    if (cause.code !== 'NOT_FOUND') throw cause
    const { email } = await readSessionUser(work.trx, caller.user)
    const text = phrases.notYoursText(email ?? '')
    return renderMessage(work, caller, request, phrases.notYoursTitle, text, cause.status)
  }
}

const renderMessage = (
  { context }: Work,
  caller: MemberCaller,
  request: RequestDetails,
  title: string,
  text: string,
  status = 200,
): Promise<Answer> =>
  renderConsolePage(
    context,
    caller,
    { title, wide: false, status, lang: detectLanguage(request), here: '/console' },
    html`<h1>${title}</h1>
<p>${text}</p>`,
  )

/** The pages that the mail of an invitation leads to. */
export const invitationPages: Operation[] = [showOperation, acceptOperation, declineOperation]
