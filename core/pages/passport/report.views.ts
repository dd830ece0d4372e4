import { maxReportLength, reportKinds, type PassportView, type ReportForm } from '../../features/dpp/index.ts'
import { words } from '../../languages/index.ts'
import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { html, type Markup } from '../site/html.ts'
import { getProblemStatus } from '../site/layout.ts'
import { renderFooter, renderOwner } from '../site/brand.views.ts'
import { renderLooks } from '../site/looks.ts'
import { keepLanguage, renderLanguageField, renderPublicPage, type PageReader } from '../site/reader.ts'

/** The page of a report: the passport that it is about, and how it is shown. */
export interface ReportPage {
  view: PassportView
  reader: PageReader
}

/** Returns the address of the form, without its language. */
export const getReportAddress = (passport: string): string => `/p/${passport}/report`

const emptyForm: ReportForm = { kind: '', text: '', email: '' }

function renderOwnPage({ view, reader }: ReportPage, problem: ProblemError | undefined, content: Markup): Answer {
  const phrases = words[reader.language].report
  return renderPublicPage(
    reader,
    {
      title: phrases.title(view.title),
      here: getReportAddress(view.passport.id),
      hasOwnPictures: true,
      // The page is for people who hold the product, and not for those who search.
      head: html`<meta name="robots" content="noindex">${renderLooks(view.application, reader)}`,
      footer: renderFooter(view.application, reader),
      ...getProblemStatus(problem),
    },
    html`${renderOwner(view.application, view.application.title, reader)}
${content}
<p><a href="${keepLanguage(`/p/${view.passport.id}`, reader)}">${phrases.back}</a></p>`,
  )
}

/** Renders the form. What was refused stays in its fields for correction. */
export function renderReportForm(page: ReportPage, refused?: { form: ReportForm; problem: ProblemError }): Answer {
  const { view, reader } = page
  const phrases = words[reader.language].report
  const form = refused?.form ?? emptyForm
  const { title, application } = view
  return renderOwnPage(
    page,
    refused?.problem,
    html`<h1>${phrases.head}</h1>
<p><strong>${title}</strong></p>
<p>${phrases.intro(application.title)}</p>
${renderReportRefusal(refused?.problem, reader)}
<form class="card" method="post" action="${getReportAddress(view.passport.id)}">${renderLanguageField(reader)}
<fieldset><legend>${phrases.kind}</legend>
${reportKinds.map(
  (kind) =>
    html`<label class="option"><input type="radio" name="kind" value="${kind}"${kind === form.kind && html` checked`} required> ${phrases.kinds[kind]}</label>
`,
)}</fieldset>
<label for="text">${phrases.text}</label>
<textarea id="text" name="text" rows="6" required maxlength="${maxReportLength}" aria-describedby="text-use">
${form.text}</textarea>
<p class="quiet" id="text-use">${phrases.textUse}</p>
<label for="email">${phrases.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" aria-describedby="email-use" value="${form.email}">
<p class="quiet" id="email-use">${phrases.emailUse(application.title)}</p>
<button>${phrases.button}</button>
</form>`,
  )
}

function renderReportRefusal(problem: ProblemError | undefined, { language }: PageReader): Markup | false {
  if (!problem) return false
  const phrases = words[language].report
  const wrong = [...new Set((problem.errors ?? []).map(({ path }) => phrases.wrong[path]))].filter(Boolean)
  const own = problem.code === 'RATE_LIMITED' ? phrases.tooMany : wrong.join(' ')
  return html`<p class="bad" role="alert">${own === '' ? html`<span lang="en">${problem.detail}</span>` : own}</p>`
}

/** Renders what follows a report that was taken. */
export function renderReportSent(page: ReportPage): Answer {
  const { sent } = words[page.reader.language].report
  return renderOwnPage(
    page,
    undefined,
    html`<h1>${sent.head}</h1>
<p class="good" role="status">${sent.text(page.view.application.title)}</p>`,
  )
}
