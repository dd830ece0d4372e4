import type { MagicToken } from '../../../../features/dpp/index.ts'
import type { DryRun } from '../../../../kernel/dry-run.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderDryRun, renderSentence } from '../bulk/bulk.views.ts'
import { renderField, renderRefusal } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatCount, renderInstant } from '../../frame/lists.views.ts'
import { getPassportAddress } from '../list/titles.ts'
import { addPassportRefusals, passportWords } from '../words/words.ts'
import { renderCopyButton } from '../../frame/copy.views.ts'

export type StatusAct = 'suspend' | 'restore' | 'revoke'

/** A question before an act on one passport. */
interface ActQuestion {
  title: string
  /** What the act does, as a rule. */
  consequence: string
  /** What else is to be known, as the API says it. */
  warnings: readonly string[]
  /** What the act would do now; null if there is nothing to add. */
  dryRun: DryRun | null
  button: string
  action: string
  back: string
  problem: ProblemError | undefined
  /** Whether the API would refuse the act now, so that there is no button. */
  isRefused: boolean
  /** The reason that a change of status needs, and whether batches and items come along; null for other acts. */
  fields: { reason: string; cascade: { isTicked: boolean; count: number | null } | null } | null
}

/** Renders the page that says what will happen before anything does. */
export function renderActQuestion(page: ConsolePage, question: ActQuestion): Markup {
  const { words, language } = page
  const { title, consequence, warnings, dryRun, fields, isRefused, back } = question
  return html`<h1>${title}</h1>
${renderRefusal(question.problem, addPassportRefusals(page), { reason: passportWords[language].reason })}
${
  isRefused
    ? html`<p><a href="${back}">${words.list.cancel}</a></p>`
    : html`<section class="card" aria-label="${words.list.willHappen}"><h2>${words.list.willHappen}</h2>
<p>${consequence}</p>
${warnings.length > 0 && html`<ul>${warnings.map((warning) => html`<li>${renderSentence(warning, language)}</li>`)}</ul>`}
${dryRun && renderDryRun(dryRun, language)}
<form method="post" action="${question.action}">${fields && renderStatusFields(fields, page)}
<div class="row"><a href="${back}">${words.list.cancel}</a><button class="small danger">${question.button}</button></div></form></section>`
}`
}

function renderStatusFields(
  { reason, cascade }: NonNullable<ActQuestion['fields']>,
  { language }: ConsolePage,
): Markup {
  const phrases = passportWords[language]
  return html`${renderField({ name: 'reason', label: phrases.reason, value: reason, hint: phrases.reasonUse, isRequired: true, maxLength: 500 })}
${cascade && html`<label class="option"><input type="checkbox" name="cascade" value="on"${cascade.isTicked && html` checked`}> ${phrases.cascade(cascade.count === null ? null : formatCount(cascade.count, language))}</label>`}`
}

interface LinkView {
  id: string
  title: string
}

/** Renders the offer to show the claim link, which is a secret. */
export function renderLinkOffer(
  page: ConsolePage,
  { id, title, problem }: LinkView & { problem: ProblemError | undefined },
): Markup {
  const phrases = passportWords[page.language]
  return html`<p><a href="${getPassportAddress(id)}">${phrases.backToPassport}</a></p>
<h1>${title}</h1>
${renderRefusal(problem, addPassportRefusals(page))}
<form class="card" method="post" action="${getPassportAddress(id)}/link"><p>${phrases.linkText}</p><button>${phrases.showLink}</button></form>`
}

/** Renders the claim link with a button that copies it. */
export function renderClaimLink(page: ConsolePage, { id, title, link }: LinkView & { link: MagicToken }): Markup {
  const phrases = passportWords[page.language]
  return html`<p><a href="${getPassportAddress(id)}">${phrases.backToPassport}</a></p>
<h1>${title}</h1>
<section class="card" aria-label="${phrases.oneActs.link}"><p><code id="link">${link.url}</code></p>
${renderCopyButton(page.words, 'link')}
<p>${phrases.linkUse} ${phrases.worksUntil} ${renderInstant(link.expiresAt)}.</p></section>
<p><a href="${getPassportAddress(id)}/link/end">${phrases.endLink}</a></p>`
}
