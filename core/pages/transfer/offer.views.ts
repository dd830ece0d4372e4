import { words } from '../../languages/index.ts'
import type { PassportView } from '../../features/dpp/index.ts'
import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { renderFooter, renderOwner } from '../site/brand.views.ts'
import { html, type Markup } from '../site/html.ts'
import { getProblemStatus } from '../site/layout.ts'
import { renderLooks } from '../site/looks.ts'
import { renderProductPicture } from '../site/pictures.ts'
import { keepLanguage, renderLanguageField, renderPublicPage, type PageReader } from '../site/reader.ts'
import {
  renderCodeForms,
  renderContactForms,
  renderRefusal,
  type Contact,
  type SignInForms,
} from '../site/sign-in.views.ts'

/** The page where an owner passes a passport on, and how it is shown. */
export interface OfferPage {
  view: PassportView
  reader: PageReader
}

/** Returns the address of the page, without its language. */
export const getOfferAddress = (passport: string): string => `/p/${passport}/transfer`

const describeForms = ({ view, reader }: OfferPage): SignInForms => ({
  reader,
  codePath: `${getOfferAddress(view.passport.id)}/code`,
  signInPath: `${getOfferAddress(view.passport.id)}/sign-in`,
  hiddenFields: html`${renderLanguageField(reader)}`,
  provider: {
    application: view.application.id,
    brand: view.application.title,
    redirect: keepLanguage(getOfferAddress(view.passport.id), reader),
    network: view.passport.network,
  },
})

function renderOwnPage({ view, reader }: OfferPage, problem: ProblemError | undefined, content: Markup): Answer {
  const phrases = words[reader.language].passingOn
  const { application, title, passport } = view
  return renderPublicPage(
    reader,
    {
      title: phrases.title(title),
      here: getOfferAddress(passport.id),
      head: html`<meta name="robots" content="noindex">${renderLooks(application, reader)}`,
      footer: renderFooter(application, reader),
      ...getProblemStatus(problem),
    },
    html`${renderOwner(application, application.title, reader)}
<h1>${phrases.head}</h1>
<p><strong>${title}</strong></p>
${renderProductPicture(view, '')}
${content}
<p><a href="${keepLanguage(`/p/${passport.id}`, reader)}">${phrases.back}</a></p>`,
  )
}

/** Codes need a mailbox or a phone: a sign-in by a provider gives none. */
const codeMethods = ['email-otp', 'phone-otp']

/** Renders the sign-in with a new code, which comes before anything is given away. */
export const renderProof = (
  page: OfferPage,
  methods: readonly string[],
  refused?: { contact: Contact; problem: ProblemError },
): Answer =>
  renderOwnPage(
    page,
    refused?.problem,
    html`<p>${words[page.reader.language].passingOn.prove}</p>
${renderRefusal(refused?.problem, page.reader)}
${renderContactForms(
  describeForms(page),
  methods.filter((method) => codeMethods.includes(method)),
  refused?.contact,
)}`,
  )

/** Renders the second step of that sign-in: the six digits. */
export const renderProofCode = (page: OfferPage, contact: Contact, problem?: ProblemError): Answer =>
  renderOwnPage(page, problem, renderCodeForms(describeForms(page), contact, problem))

/** Renders what somebody sees who cannot pass the passport on. */
export const renderNoOffer = (page: OfferPage, why: 'notYours' | 'closed'): Answer => {
  const { head, text } = words[page.reader.language].passingOn[why]
  return renderOwnPage(page, undefined, html`<p class="bad" role="status"><strong>${head}.</strong> ${text}</p>`)
}

/** Renders the form that asks to whom. What was refused stays in its fields for correction. */
export function renderOfferForm(
  page: OfferPage,
  days: number,
  refused?: { contact: Contact; problem: ProblemError },
): Answer {
  const { view, reader } = page
  const phrases = words[reader.language].passingOn
  const { email, phoneCallingCode, phone } = { email: '', phoneCallingCode: '', phone: '', ...refused?.contact }
  const form = (fields: Markup) => html`<form class="card" method="post" action="${getOfferAddress(view.passport.id)}">
${renderLanguageField(reader)}
${fields}
</form>`
  const problem = refused?.problem
  return renderOwnPage(
    page,
    problem,
    html`<p>${phrases.intro}</p>
${problem && html`<p class="bad" role="alert">${phrases.refusals[problem.code] ?? phrases.refused}</p>`}
${form(html`<label for="email">${phrases.email}</label>
<input id="email" name="email" type="email" autocomplete="off" inputmode="email" required maxlength="254" value="${email}">
<button>${phrases.offerByEmail}</button>`)}
${form(html`<label for="calling">${phrases.callingCode}</label>
<input id="calling" name="phoneCallingCode" type="tel" autocomplete="off" placeholder="+33" required maxlength="6" value="${phoneCallingCode}">
<label for="phone">${phrases.phone}</label>
<input id="phone" name="phone" type="tel" autocomplete="off" required maxlength="20" value="${phone}">
<button>${phrases.offerByPhone}</button>`)}
<p class="quiet">${phrases.note(days)}</p>`,
  )
}
