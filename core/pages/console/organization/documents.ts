import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, optional, string } from '../../../kernel/schema.ts'
import {
  acceptDocuments,
  listAcceptances,
  listMissingDocuments,
  readAudience,
  type Acceptance,
} from '../../../features/identity/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { getNextPath, legalPath, memberPageOptions } from '../console.ts'
import { getRefusal, renderRefusal } from '../frame/forms.views.ts'
import { renderDay, renderTable } from '../frame/lists.views.ts'
import { parseVersions, renderAcceptance, renderDocumentLinks } from './documents.views.ts'
import { openPersonalPage, renderPersonal, type PersonalPage } from './personal.ts'
import { getProblemStatus } from '../../site/layout.ts'

const nextField = optional(string('The page to go to afterwards.', { maxLength: 300 }))

/** The documents that the person still has to accept, and those that they have accepted. */
const showOperation = declareOperation({
  id: 'console_legal_page_v1',
  method: 'GET',
  path: legalPath,
  ...memberPageOptions,
  query: { next: nextField },
  document: { tag: 'Pages', summary: 'Legal documents' },
}).withReadHandler(async (input) => {
  const page = openPersonalPage(input, legalPath)
  return isAnswer(page) ? page : renderDocuments(page, input.query.next)
})

async function renderDocuments(page: PersonalPage, next: string | undefined, problem?: ProblemError): Promise<Answer> {
  const { member, work, phrases, words } = page
  const missing = await listMissingDocuments(work.trx, member.user, await readAudience(work.trx, member))
  const accepted = await listAcceptances(work.trx, member.user)
  const form: Markup =
    missing.length === 0
      ? html`<p>${phrases.legalDone}</p>`
      : html`<p>${phrases.legalIntro}</p>
<form class="card" method="post" action="${legalPath}"><input type="hidden" name="next" value="${getNextPath(next)}">
${renderAcceptance(missing, phrases.accept, true)}
<button>${phrases.acceptButton}</button></form>`
  const columns = [
    { head: phrases.document, cell: (row: Acceptance) => renderDocumentLinks([row]) },
    { head: phrases.acceptedOn, cell: ({ acceptedAt }: Acceptance) => renderDay(acceptedAt) },
  ]
  const content = html`<h1>${phrases.legalTitle}</h1>
${renderRefusal(problem, words)}
${form}
${accepted.length > 0 && renderTable(phrases.legalTitle, columns, accepted)}`
  return renderPersonal(page, { title: phrases.legalTitle, ...getProblemStatus(problem) }, content)
}

const acceptOperation = declareOperation({
  id: 'console_legal_accept_page_v1',
  method: 'POST',
  path: legalPath,
  ...memberPageOptions,
  body: object({
    versions: string('Which documents in which versions.', { maxLength: 2_000 }),
    accepts: string('The box that was ticked.', { maxLength: 3 }),
    next: nextField,
  }),
  document: { tag: 'Pages', summary: 'Accept legal documents' },
}).withOutboundHandler(async (input) => {
  const { body, finish, request } = input
  const page = openPersonalPage(input, legalPath)
  if (isAnswer(page)) return page
  try {
    return await finish(async (work) => {
      await acceptDocuments(work, page.member, { acceptances: parseVersions(body.versions), address: request.address })
      return answerRedirect(getNextPath(body.next), undefined, 303)
    })
  } catch (cause) {
    return renderDocuments(page, body.next, getRefusal(cause))
  }
})

/** The pages about legal documents. */
export const documentPages: Operation[] = [showOperation, acceptOperation]
