import { answerRedirect, type Answer } from '../../../kernel/answer.ts'
import type { Caller, MemberCaller } from '../../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../../kernel/operation.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
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
import { detectLanguage } from '../frame/frame.ts'
import { consoleWords } from '../words/words.ts'
import { peopleWords, type PeopleWords } from './words.ts'

const path = '/console/invitations'

/** An invitation's page for the person who looks at it, in their language. */
interface InvitationPage {
  member: MemberCaller
  work: Work
  language: ConsoleLanguage
  phrases: PeopleWords
}

interface PageInput {
  caller: Caller
  params: { id: string }
  request: RequestDetails
  work: Work
}

/** Answers what `act` does, the way to the sign-in, or a page that says why there is nothing to accept. */
async function answerMember(
  { caller, params, request, work }: PageInput,
  act: (page: InvitationPage) => Promise<Answer>,
): Promise<Answer> {
  if (caller.kind !== 'member')
    return answerRedirect(`/console/sign-in?next=${encodeURIComponent(`${path}/${params.id}`)}`, undefined, 303)
  const language = detectLanguage(request)
  const phrases = peopleWords[language]
  const page = { member: caller, work, language, phrases }
  try {
    return await act(page)
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause
    if (cause.code === 'INVITATION_NOT_OPEN')
      return renderMessage(page, phrases.endedTitle, phrases.endedText, cause.status)
    if (cause.code !== 'NOT_FOUND') throw cause
    const { email } = await readSessionUser(work.trx, caller.user)
    return renderMessage(page, phrases.notYoursTitle, phrases.notYoursText(email ?? ''), cause.status)
  }
}

const renderMessage = (
  { member, work, language }: InvitationPage,
  title: string,
  text: string,
  status = 200,
): Promise<Answer> =>
  renderConsolePage(
    work.context,
    member,
    { title, wide: false, status, lang: language, here: '/console', needsNoAcceptance: true },
    html`<h1>${title}</h1>
<p>${text}</p>`,
  )

/** The page that an invitation's mail leads to: who invites, to what, and the two answers. */
const showOperation = declareOperation({
  id: 'console_invitation_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'An invitation' },
}).withReadHandler((input) =>
  answerMember(input, async (page) => {
    const { member, work, language, phrases } = page
    const { organization, invitation } = await readOwnInvitation(work, member, input.params.id)
    if (invitation.status !== 'pending') return renderMessage(page, phrases.endedTitle, phrases.endedText)
    const here = `${path}/${input.params.id}`
    const domain = (await readProvenDomain(work.trx, organization.id)) ?? consoleWords[language].notConfirmed
    return renderConsolePage(
      work.context,
      member,
      { title: phrases.invitation, wide: false, lang: language, here, needsNoAcceptance: true },
      html`<h1>${phrases.invitation}</h1>
<section class="card" aria-label="${phrases.invitation}"><p><strong>${organization.name}</strong> <span class="quiet">(${domain})</span></p>
<p>${phrases.invitationText(phrases.roles[invitation.role])}</p>
<div class="row"><form method="post" action="${here}/accept"><button>${phrases.accept}</button></form>
<form method="post" action="${here}/decline"><button class="plain">${phrases.decline}</button></form></div></section>`,
    )
  }),
)

const acceptOperation = declareOperation({
  id: 'console_invitation_accept_page_v1',
  method: 'POST',
  path: `${path}/:id/accept`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Accept an invitation' },
}).withOutboundHandler((input) =>
  answerMember(input, async ({ member }) => {
    const { context, finish, params, request } = input
    let organizationId = ''
    const answer = await finish(async (work) => {
      organizationId = (await acceptInvitation(work, member, params.id)).id
      return answerRedirect('/console', undefined, 303)
    })
    if (request.credential !== null) await chooseOrganization(context, member, request.credential, { organizationId })
    return answer
  }),
)

const declineOperation = declareOperation({
  id: 'console_invitation_decline_page_v1',
  method: 'POST',
  path: `${path}/:id/decline`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Decline an invitation' },
}).withOutboundHandler((input) =>
  answerMember(input, (page) =>
    input.finish(async (work) => {
      await declineInvitation(work, page.member, input.params.id)
      return renderMessage({ ...page, work }, page.phrases.declinedTitle, page.phrases.declinedText)
    }),
  ),
)

/** The pages that the mail of an invitation leads to. */
export const invitationPages: Operation[] = [showOperation, acceptOperation, declineOperation]
