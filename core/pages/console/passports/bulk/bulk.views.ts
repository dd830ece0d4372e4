import type { DryRun } from '../../../../kernel/dry-run.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderRefusal } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatAddress } from '../../frame/lists.ts'
import { formatCount } from '../../frame/lists.views.ts'
import { getBoxName } from '../list/filters.ts'
import { renderHiddenFilters } from '../list/list.views.ts'
import { getPassportAddress, passportsPath } from '../list/titles.ts'
import { addPassportRefusals, passportWords } from '../words/words.ts'
import type { BulkWish } from './bulk.ts'

interface QuestionView {
  wish: BulkWish
  title: string
  /** What the act would do; null if it is refused. */
  dryRun: DryRun | null
  problem: ProblemError | undefined
}

/** Renders a sentence that the API says, in the words of the reader where there are any. */
export const renderSentence = (sentence: string, language: ConsoleLanguage): Markup => {
  const { sentences } = passportWords[language]
  const own = sentences[sentence]
  return own === undefined && language !== 'en' ? html`<span lang="en">${sentence}</span>` : html`${own ?? sentence}`
}

const getListAddress = ({ query }: BulkWish) => formatAddress(passportsPath, { ...query })

/** Renders the page for an act on chosen passports of which none was chosen. */
export function renderNothingChosen({ language }: ConsolePage, wish: BulkWish): Markup {
  const phrases = passportWords[language]
  return html`<h1>${phrases.nothingChosen}</h1>
<p class="bad" role="alert">${phrases.nothingChosenText}</p>
<p><a href="${getListAddress(wish)}">${phrases.backToList}</a></p>`
}

/** Renders what a dry run found: how many change, which, which not and why. */
export function renderDryRun(
  { matched, willChange, samples, skipped, warnings }: DryRun,
  language: ConsoleLanguage,
): Markup {
  const phrases = passportWords[language]
  return html`<ul>
<li><strong>${phrases.willChange(formatCount(willChange, language), formatCount(matched, language))}</strong></li>
${skipped.map(({ reason, count }) => html`<li>${phrases.staying(formatCount(count, language))} ${renderSentence(reason, language)}.</li>`)}
${warnings.map((warning) => html`<li>${renderSentence(warning, language)}</li>`)}
</ul>
${
  samples.length > 0
  && html`<h3>${phrases.samples(samples.length < willChange)}</h3>
<ul>${samples.map(({ id, name }) => html`<li><a href="${getPassportAddress(id)}">${name}</a></li>`)}</ul>`
}`
}

/** Renders the question before an act on many passports. */
export function renderBulkQuestion(page: ConsolePage, { wish, title, dryRun, problem }: QuestionView): Markup {
  const { words, language } = page
  const phrases = passportWords[language]
  const { act, of, chosen, query } = wish
  const isPointless = dryRun !== null && dryRun.willChange === 0
  return html`<h1>${title}</h1>
${renderRefusal(problem, addPassportRefusals(page))}
${
  dryRun
    ? html`<section class="card" aria-label="${words.list.willHappen}"><h2>${words.list.willHappen}</h2>
<p>${act === 'publish' && query.import !== undefined ? phrases.publishesAlone : phrases.consequences[act]}</p>
${renderDryRun(dryRun, language)}
<form method="post" action="${passportsPath}/bulk">
<input type="hidden" name="act" value="${act}"><input type="hidden" name="of" value="${of}"><input type="hidden" name="matched" value="${dryRun.matched}">
${renderHiddenFilters(query)}${chosen.map((id) => html`<input type="hidden" name="${getBoxName(id)}" value="on">`)}
${act === 'publish' && html`<label class="option"><input type="checkbox" name="skipCertification" value="on"> ${phrases.skipCertification}</label>`}
<div class="row"><a href="${getListAddress(wish)}">${words.list.cancel}</a>${!isPointless && html`<button class="small${(act === 'delete' || act === 'archive') && ' danger'}">${phrases.bulkButtons[act](dryRun.willChange)}</button>`}</div></form></section>`
    : html`<p><a href="${getListAddress(wish)}">${phrases.backToList}</a></p>`
}`
}
