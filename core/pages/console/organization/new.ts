import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import { listMissingDocuments, signUpOrganization } from '../../../features/identity/index.ts'
import { html } from '../../site/html.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal, listNameIssues, renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import { renderOptions } from '../frame/lists.views.ts'
import { parseVersions, renderAcceptance } from './documents.views.ts'
import { currencies } from './settings.views.ts'
import { openPersonalPage, renderPersonal, type PersonalPage } from './personal.ts'
import { getProblemStatus } from '../../site/layout.ts'

const path = '/console/organizations/new'
const kinds = ['company', 'individual'] as const

interface NewOrganizationForm {
  name: string
  customerType: (typeof kinds)[number]
  preferredCurrency: (typeof currencies)[number]
}

const emptyForm: NewOrganizationForm = { name: '', customerType: 'company', preferredCurrency: '' }

const formOperation = declareOperation({
  id: 'console_organization_new_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A form for a new organization' },
}).withReadHandler(async (input) => {
  const page = openPersonalPage(input, path)
  return isAnswer(page) ? page : renderForm(page, emptyForm)
})

async function renderForm(page: PersonalPage, form: NewOrganizationForm, problem?: ProblemError): Promise<Answer> {
  const { member, work, phrases, words } = page
  const missing = await listMissingDocuments(work.trx, member.user, 'company')
  const uses = { company: phrases.companyHint, individual: phrases.individualHint }
  const labels = { name: phrases.name, customerType: phrases.kind, preferredCurrency: phrases.currency }
  const content = html`<h1>${phrases.newTitle}</h1>
<p>${phrases.newIntro}</p>
${renderRefusal(problem, words, labels)}
<form class="card" method="post" action="${path}">
${renderField({ name: 'name', label: phrases.name, value: form.name, hint: phrases.nameHint, isRequired: true })}
<fieldset><legend>${phrases.kind}</legend>
${kinds.map(
  (kind) =>
    html`<label class="option"><input type="radio" name="customerType" value="${kind}"${kind === form.customerType && html` checked`}>
<span>${phrases[kind]}<br><span class="quiet">${uses[kind]}</span></span></label>`,
)}</fieldset>
${renderSelect(
  { name: 'preferredCurrency', label: phrases.currency, hint: phrases.currencyHint },
  renderOptions(
    currencies.map((currency) => [currency, currency === '' ? phrases.noCurrency : currency] as const),
    form.preferredCurrency,
  ),
)}
${missing.length > 0 && renderAcceptance(missing, phrases.acceptFor, false)}
<button>${phrases.create}</button></form>`
  return renderPersonal(page, { title: phrases.newTitle, ...getProblemStatus(problem) }, content)
}

/** Returns what a form says. @throws VALIDATION_FAILED if the name is missing, too long or not one plain line */
function parseForm({ name, customerType, preferredCurrency }: NewOrganizationForm) {
  const plain = name.trim()
  const issues = listNameIssues(plain)
  if (issues.length > 0) throw createValidationProblem(issues)
  return { name: plain, customerType, preferredCurrency: preferredCurrency === '' ? null : preferredCurrency }
}

const createOperation = declareOperation({
  id: 'console_organization_create_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({
    name: string('Its name.', { maxLength: 400 }),
    customerType: oneOf(kinds, 'What it is.'),
    preferredCurrency: oneOf(currencies, 'Currency of its bills, or nothing.'),
    versions: optional(string('Which documents in which versions.', { maxLength: 2_000 })),
    accepts: optional(string('The box, if it was ticked.', { maxLength: 3 })),
  }),
  document: { tag: 'Pages', summary: 'Create an organization' },
}).withOutboundHandler(async (input) => {
  const { body, finish, request } = input
  const page = openPersonalPage(input, path)
  if (isAnswer(page)) return page
  const { versions = '', accepts } = body
  try {
    const wanted = { ...parseForm(body), acceptances: accepts === undefined ? [] : parseVersions(versions) }
    return await finish(async (work) => {
      await signUpOrganization(work, page.member, wanted, request)
      return answerRedirect('/console', undefined, 303)
    })
  } catch (cause) {
    return renderForm(page, body, getRefusal(cause))
  }
})

/** The page where a person creates an organization. */
export const newOrganizationPages: Operation[] = [formOperation, createOperation]
