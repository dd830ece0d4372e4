import type { Answer } from '../../kernel/answer.ts'
import type { EndUserCaller } from '../../kernel/caller.ts'
import type { Job } from '../../kernel/job.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { maxRequestLength, type PassportView } from '../../features/dpp/index.ts'
import { html, type Markup } from '../site/html.ts'
import { renderProductPicture } from '../site/pictures.ts'
import { renderFooter, renderHelp, renderOwner, renderText } from '../site/brand.views.ts'
import { renderBanner, renderLooks, type LooksOwner } from '../site/looks.ts'
import { keepLanguage, renderLanguageField, renderPublicPage, type PageReader } from '../site/reader.ts'
import {
  renderCodeForms,
  renderContactForms,
  renderHiddenField,
  renderRefusal,
  type Contact,
  type SignInForms,
} from '../site/sign-in.views.ts'
import { words } from '../../languages/index.ts'
import { getProblemStatus } from '../site/layout.ts'

/**
 * What a buyer claims with: the token of a magic link, or the passport itself with a contact that its seller has named.
 */
export type ClaimAccess = { token: string } | { passport: string }

/** Returns the address of the first page of a claim, without its language. */
export const getClaimAddress = (access: ClaimAccess): string =>
  'token' in access ? `/claim?token=${encodeURIComponent(access.token)}` : `/claim?passport=${access.passport}`

/** A claim in progress: the passport, what it is claimed with, and how the page is shown. */
export interface ClaimContext {
  view: PassportView
  access: ClaimAccess
  reader: PageReader
}

const getClaimWords = ({ language }: PageReader) => words[language].claiming

const renderHead = (view: PassportView, reader: PageReader): Markup =>
  html`${renderOwner(view.application, view.application.title, reader)}
<h1>${view.title}</h1>
${renderProductPicture(view, view.title)}`

/** Renders what each form of a claim sends along. */
const renderHiddenFields = ({ access, reader }: ClaimContext): Markup =>
  html`${Object.entries(access).map(([name, value]) => renderHiddenField(name, value))}${renderLanguageField(reader)}`

const describeForms = (claiming: ClaimContext): SignInForms => ({
  reader: claiming.reader,
  codePath: '/claim/code',
  signInPath: '/claim/sign-in',
  hiddenFields: renderHiddenFields(claiming),
  provider: {
    application: claiming.view.application.id,
    brand: claiming.view.application.title,
    redirect: keepLanguage(getClaimAddress(claiming.access), claiming.reader),
    network: claiming.view.passport.network,
  },
})

function renderClaimPage(
  { view, access, reader }: ClaimContext,
  problem: ProblemError | undefined,
  content: Markup,
): Answer {
  return renderPublicPage(
    reader,
    {
      title: getClaimWords(reader).title(view.title),
      here: getClaimAddress(access),
      head: html`${renderLooks(view.application, reader)}`,
      footer: renderFooter(view.application, reader),
      ...getProblemStatus(problem),
    },
    html`${renderHead(view, reader)}
${renderText(view.application.theme, 'claim', reader)}
${content}
${renderHelp(view.application, reader)}
${renderBanner(view.application)}`,
  )
}

/** Renders the first step: how the buyer is reached. A wrong entry stays in its field for correction. */
export function renderContactForm(
  claiming: ClaimContext,
  methods: readonly string[],
  enteredContact?: Contact,
  problem?: ProblemError,
): Answer {
  const { view, reader } = claiming
  const phrases = getClaimWords(reader)
  return renderClaimPage(
    claiming,
    problem,
    html`<p>${phrases.intro}</p>
${renderRefusal(problem, reader)}
${renderContactForms(describeForms(claiming), methods, enteredContact)}
<p class="quiet"><a href="${keepLanguage(`/p/${view.passport.id}`, reader)}">${phrases.lookFirst}</a></p>`,
  )
}

/** Renders the second step: the six digits. */
export const renderCodeForm = (claiming: ClaimContext, contact: Contact, problem?: ProblemError): Answer =>
  renderClaimPage(claiming, problem, renderCodeForms(describeForms(claiming), contact, problem))

/** Renders what a buyer sees whom the seller has not named for the item: they may ask the brand. */
export function renderAskForm(claiming: ClaimContext, buyer: EndUserCaller, problem?: ProblemError): Answer {
  const { view, reader } = claiming
  const { owning, claiming: claimWords } = words[reader.language]
  const brand = view.application.title
  const why =
    problem?.code === 'RATE_LIMITED'
      ? owning.tooMany
      : ((problem && claimWords.refusals[problem.code]) ?? claimWords.closed.text)
  return renderClaimPage(
    claiming,
    problem,
    html`<h2>${owning.head}</h2>
<p>${claimWords.signedInAs} <strong>${buyer.email ?? buyer.phoneNumber ?? ''}</strong>.</p>
<p>${owning.text(brand)}</p>
${problem && html`<p class="bad" role="alert">${why}</p>`}
<form class="card" method="post" action="/claim/ask">${renderLanguageField(reader)}${renderHiddenField('passport', view.passport.id)}
<label for="text">${owning.field}</label>
<textarea id="text" name="text" rows="4" maxlength="${maxRequestLength}" aria-describedby="text-use"></textarea>
<p class="quiet" id="text-use">${owning.fieldUse(brand)}</p>
<button>${owning.button}</button>
</form>
<p class="quiet"><a href="${keepLanguage(`/p/${view.passport.id}`, reader)}">${claimWords.broken.see}</a></p>`,
  )
}

/** Renders what follows a request. */
export function renderRequestSent(claiming: ClaimContext): Answer {
  const { sent } = words[claiming.reader.language].owning
  const { title, passport } = claiming.view
  return renderClaimPage(
    claiming,
    undefined,
    html`<h2>${sent.head}</h2>
<p class="good" role="status">${sent.text(claiming.view.application.title)}</p>
<p><a href="${keepLanguage(`/p/${passport.id}`, claiming.reader)}">${title}</a></p>`,
  )
}

/** Renders the third step: one button. */
export function renderClaimForm(claiming: ClaimContext, buyer: EndUserCaller, problem?: ProblemError): Answer {
  const phrases = getClaimWords(claiming.reader)
  const known = buyer.email ?? buyer.phoneNumber
  return renderClaimPage(
    claiming,
    problem,
    html`<p>${known ? html`${phrases.signedInAs} <strong>${known}</strong>.` : phrases.signedIn}</p>
${renderRefusal(problem, claiming.reader)}
<form class="card" method="post" action="/claim">
${renderHiddenFields(claiming)}
<p>${'token' in claiming.access ? phrases.onceByLink : phrases.once}</p>
<button>${phrases.button}</button>
</form>`,
  )
}

/**
 * Renders the page for a link that was used, has expired or never was valid, or for a passport that nobody can claim
 * now.
 */
export function renderBrokenClaim(access: ClaimAccess, view: PassportView | null, reader: PageReader): Answer {
  const phrases = getClaimWords(reader)
  const closed = view && findClosedReason(view, reader)
  const { head: title, text } =
    closed === null
      ? 'token' in access
        ? phrases.broken
        : phrases.closed
      : { head: phrases.closed.head, text: closed }
  return renderPublicPage(
    reader,
    {
      title,
      status: 400,
      here: getClaimAddress(access),
      ...(view && {
        head: html`${renderLooks(view.application, reader)}`,
        footer: renderFooter(view.application, reader),
      }),
    },
    html`<h1>${title}</h1>
<p>${text}</p>
${view && html`<p><a class="button" href="${keepLanguage(`/p/${view.passport.id}`, reader)}">${phrases.broken.see}</a></p>`}`,
  )
}

/**
 * Returns why nobody can claim an archived, revoked or suspended passport, even with a valid link; null for all others.
 */
function findClosedReason(
  { passport, withdrawals: [withdrawal] }: PassportView,
  { language }: PageReader,
): string | null {
  const { archived, withdrawn } = words[language].notices
  if (passport.status === 'archived') return archived
  return withdrawal ? withdrawn[withdrawal.level][withdrawal.purpose].text : null
}

/**
 * Renders the state of a claim; the browser reloads the page until the job has ended.
 * @param view the passport once it was claimed
 */
export function renderJobPage(
  job: Job,
  { application, view }: { application: LooksOwner; view: PassportView | null },
  reader: PageReader,
): Answer {
  const { refused, ...claiming } = getClaimWords(reader)
  const own = job.type === 'transfer' ? words[reader.language].passingOn.job : claiming
  const { failed, waiting } = own
  const done = { ...claiming.done, ...own.done }
  const options = {
    here: `/claim/${job.id}`,
    head: html`${renderLooks(application, reader)}`,
    footer: renderFooter(application, reader),
  }
  if (job.status === 'completed') {
    return renderPublicPage(
      reader,
      { ...options, title: done.head },
      html`${view && renderOwner(view.application, view.application.title, reader)}<h1>${done.head}</h1>
${view && html`<p><strong>${view.title}</strong></p>\n${renderProductPicture(view, '')}`}
<p class="good" role="status">${done.text}</p>
${view && html`<p><a class="button" href="${keepLanguage(`/p/${view.passport.id}`, reader)}">${done.see}</a></p>`}
<p><a href="${keepLanguage('/me', reader)}">${done.all}</a></p>
<details><summary>${words[reader.language].product.experts}</summary><dl>
<div><dt>${done.transaction}</dt><dd><code>${String(job.result?.['transactionHash'] ?? '')}</code></dd></div>
<div><dt>${done.token}</dt><dd><code>${String(job.result?.['tokenId'] ?? '')}</code></dd></div>
</dl></details>`,
    )
  }
  if (job.status === 'failed') {
    const [first] = job.errors
    return renderPublicPage(
      reader,
      { ...options, title: failed.head },
      html`<h1>${failed.head}</h1>
<p class="bad" role="alert">${refused === null && first ? first.message : failed.text}</p>
<p>${failed.again}</p>`,
    )
  }
  return renderPublicPage(
    reader,
    { ...options, title: waiting.head, refresh: 1 },
    html`<h1>${waiting.head}</h1>
<p role="status">${waiting.text}</p>
<progress class="bar" aria-label="${waiting.bar}"></progress>`,
  )
}
