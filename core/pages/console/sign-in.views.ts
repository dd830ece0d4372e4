import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../kernel/text/languages.ts'
import type { DeletedOrganization, Membership } from '../../features/identity/index.ts'
import { renderLanguageForm, signInPath } from './console.ts'
import { renderDay } from './frame/lists.views.ts'
import { peopleWords } from './people/words.ts'
import { signInWords } from './sign-in.words.ts'
import { consoleWords } from './words/words.ts'
import { html, type Markup } from '../site/html.ts'
import { getProblemStatus, renderPage } from '../site/layout.ts'

/** The page where a person creates an organization. */
const newOrganizationPath = '/console/organizations/new'

interface SignInForm {
  email: string
  next: string
}

/** Renders why an address or a code was refused. */
export function renderSignInProblem(problem: ProblemError | undefined, language: ConsoleLanguage): Markup | null {
  if (!problem) return null
  const phrases = signInWords[language]
  const { check, issues } = consoleWords[language]
  const [first] = problem.errors ?? []
  const explanation = first
    ? html`${check} ${first.path === 'email' ? phrases.emailNoun : first.path} ${issues[first.code] ?? html`<span lang="en">${first.message}</span>`}.`
    : html`<span lang="en">${problem.detail}</span>`
  return html`<p class="bad" role="alert">${phrases.codes[problem.code] ?? explanation}</p>`
}

/** Renders a page for a person who is not signed in, with the choice of the language at its end. */
function renderSignInPage(
  language: ConsoleLanguage,
  title: string,
  problem: ProblemError | undefined,
  content: Markup,
) {
  const { skip } = consoleWords[language]
  return renderPage({ title, lang: language, skip, ...getProblemStatus(problem) }, content)
}

/** Renders the first step. A wrong entry stays in its field for correction. */
export function renderEmailForm(language: ConsoleLanguage, next: string, email = '', problem?: ProblemError): Answer {
  const phrases = signInWords[language]
  return renderSignInPage(
    language,
    phrases.title,
    problem,
    html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${renderSignInProblem(problem, language)}
<form class="card" method="post" action="${signInPath}">
<input type="hidden" name="next" value="${next}">
<label for="email">${phrases.email}</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="320" value="${email}">
<button>${phrases.sendCode}</button>
</form>
${renderLanguageForm(language, consoleWords[language], next)}`,
  )
}

/** Renders the field of a code with the button that sends it. */
export const renderCodeFields = (language: ConsoleLanguage): Markup =>
  html`<label for="otp">${signInWords[language].code}</label>
<input id="otp" class="code" name="otp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,8}" maxlength="8" required>
<button>${signInWords[language].signIn}</button>`

/** Renders the second step: the six digits. */
export function renderCodeForm(language: ConsoleLanguage, { email, next }: SignInForm, problem?: ProblemError): Answer {
  const phrases = signInWords[language]
  const hidden = html`<input type="hidden" name="email" value="${email}"><input type="hidden" name="next" value="${next}">`
  return renderSignInPage(
    language,
    phrases.codeTitle,
    problem,
    html`<h1>${phrases.codeTitle}</h1>
<p>${phrases.sentTo} <strong>${email}</strong>. ${phrases.goodFor}</p>
${renderSignInProblem(problem, language)}
<form class="card" method="post" action="${signInPath}/code">${hidden}
${renderCodeFields(language)}
</form>
<form method="post" action="${signInPath}">${hidden}<button class="plain">${phrases.anotherCode}</button></form>
<p><a href="${signInPath}">${phrases.otherAddress}</a></p>`,
  )
}

interface OrganizationChoice {
  memberships: readonly Membership[]
  deleted: readonly DeletedOrganization[]
  /** The proven domain of each organization that has one. */
  domains: ReadonlyMap<string, string>
  active: string | null
  next: string
}

/**
 * Renders the choice of the organization to work for, each with its proven domain; says so if there is none. Below stand
 * deleted ones that can be restored.
 */
export function renderOrganizations(choice: OrganizationChoice, language: ConsoleLanguage): Markup {
  const { memberships, domains, active, next, deleted } = choice
  const phrases = signInWords[language]
  const { notConfirmed } = consoleWords[language]
  if (memberships.length === 0) {
    return html`<h1>${phrases.noneTitle}</h1>
<p>${phrases.noneText}</p>
<p><a class="button" href="${newOrganizationPath}">${phrases.create}</a></p>
${renderDeleted(deleted, language)}`
  }
  return html`<h1>${phrases.forWhom}</h1>
${memberships.map(
  ({ id, name, role }) =>
    html`<form class="card row" method="post" action="/console/organizations">
<input type="hidden" name="organization" value="${id}"><input type="hidden" name="next" value="${next}">
<p><strong>${name}</strong><br><span class="quiet">${domains.get(id) ?? notConfirmed}, ${peopleWords[language].roles[role]}${id === active && html`, ${phrases.atPresent}`}</span></p>
<button class="small" aria-label="${phrases.chooseFor(name)}">${phrases.choose}</button>
</form>`,
)}
<p><a href="${newOrganizationPath}">${phrases.create}</a></p>
${renderDeleted(deleted, language)}`
}

function renderDeleted(deleted: readonly DeletedOrganization[], language: ConsoleLanguage): Markup | false {
  if (deleted.length === 0) return false
  const phrases = signInWords[language]
  return html`<section aria-labelledby="deleted"><h2 id="deleted">${phrases.deletedTitle}</h2>
<p>${phrases.deletedText}</p>
${deleted.map(
  ({ id, name, erasedFrom, isOwner }) =>
    html`<form class="card row" method="post" action="/console/organizations/${id}/restore">
<p><strong>${name}</strong><br><span class="quiet">${phrases.deletedUntil} ${renderDay(erasedFrom)}</span></p>
${isOwner && html`<button class="small" aria-label="${phrases.restoreName(name)}">${phrases.restore}</button>`}
</form>`,
)}</section>`
}
