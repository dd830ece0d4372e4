import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { object, string } from '../../../kernel/schema.ts'
import { deleteOrganization, readOrganization, restoreDays } from '../../../features/identity/index.ts'
import { html } from '../../site/html.ts'
import { memberPageOptions } from '../console.ts'
import { addRefusals, renderField, renderRefusal, getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { deletionWords } from './deletion.words.ts'
import { deletionPath, settingsPath } from './settings.views.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** The page that says what happens to an organization that is deleted. */
const questionOperation = declareOperation({
  id: 'console_organization_delete_question_v1',
  method: 'GET',
  path: deletionPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before the organization is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, deletionPath, 'organization:delete')
  return isAnswer(page) ? page : renderDeletion(page)
})

async function renderDeletion(page: ConsolePage, typed = '', problem?: ProblemError): Promise<Answer> {
  const { member, work, language, words } = page
  const phrases = deletionWords[language]
  const { name } = await readOrganization(work, member, member.organization)
  const title = phrases.title(name)
  const refusals = addRefusals(words, {}, { differs: phrases.differs })
  const content = html`<h1>${title}</h1>
${renderRefusal(problem, refusals, { name: phrases.name })}
<section class="card" aria-label="${words.list.willHappen}"><h2>${words.list.willHappen}</h2>
<ul>${phrases.consequences(restoreDays).map((sentence) => html`<li>${sentence}</li>`)}</ul>
<form method="post" action="${deletionPath}">
${renderField({ name: 'name', label: phrases.name, value: typed, hint: phrases.nameHint(name), isRequired: true, maxLength: 400 })}
<div class="row"><a href="${settingsPath}">${words.list.cancel}</a><button class="small danger">${phrases.button}</button></div></form></section>`
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const deleteOperation = declareOperation({
  id: 'console_organization_delete_page_v1',
  method: 'POST',
  path: deletionPath,
  ...memberPageOptions,
  body: object({ name: string('The name of the organization, as it was typed.', { maxLength: 400 }) }),
  document: { tag: 'Pages', summary: 'Delete the organization' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, deletionPath, 'organization:delete')
  if (isAnswer(page)) return page
  const { member, work } = page
  const typed = input.body.name
  try {
    const { name } = await readOrganization(work, member, member.organization)
    if (typed.trim() !== name)
      throw createValidationProblem([{ path: 'name', code: 'differs', message: 'is not the name of the organization' }])
    return await input.finish(async (inner) => {
      await deleteOrganization(inner, member, member.organization)
      return answerRedirect('/console/organizations', undefined, 303)
    })
  } catch (cause) {
    return renderDeletion(page, typed, getRefusal(cause))
  }
})

/** The page where an owner deletes the organization. */
export const deletionPages: Operation[] = [questionOperation, deleteOperation]
