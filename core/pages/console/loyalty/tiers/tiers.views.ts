import { createValidationProblem, type Issue, type ProblemError } from '../../../../kernel/problem.ts'
import { isName, nameIssueMessage } from '../../../../kernel/text/characters.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import type { RewardTier, TierOverview } from '../../../../features/loyalty/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderField, renderRefusal, renderSelect } from '../../frame/forms.views.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderListHead,
  renderTable,
  renderWhatNext,
  type ApplicationChoice,
  type TableColumn,
} from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'

type TierLine = TierOverview['tiers'][number]

interface Reading {
  language: ConsoleLanguage
  words: ConsoleWords
}

interface TiersView extends Reading {
  applications: readonly ApplicationChoice[]
  chosen: ApplicationChoice | null
  mayCreate: boolean
  mayUpdate: boolean
}

/** Renders the tiers of an application, with a picture of who is where and the same as a table. */
export function renderTiers(overview: TierOverview | null, view: TiersView): Markup {
  const { words, chosen, mayCreate } = view
  const { tiers: phrases } = words
  const add =
    mayCreate
    && chosen
    && html`<p><a class="button small" href="/console/tiers/new?application=${chosen.id}">${phrases.add}</a></p>`
  return html`<div class="row"><h1>${phrases.title}</h1>${add}</div>
<p>${phrases.intro}</p>
${view.applications.length > 1 && renderApplicationForm(view)}
${
  overview && overview.tiers.length > 0
    ? renderOverview(overview, view)
    : renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
}`
}

const renderApplicationForm = ({ applications, chosen, words }: TiersView): Markup =>
  html`<form class="narrow" method="get" action="/console/tiers" aria-label="${words.list.application}">
<label for="application">${words.list.application}</label>
<div class="search"><select id="application" name="application">${renderApplicationOptions(applications, chosen?.id ?? '')}</select>
<button>${words.list.show}</button></div></form>`

function renderOverview(overview: TierOverview, view: TiersView): Markup {
  const { words, chosen } = view
  const { tiers, withoutTier, windowDays } = overview
  const { tiers: phrases } = words
  const file = `/console/tiers.csv?application=${chosen?.id ?? ''}`
  const total = tiers.reduce((sum, { accounts }) => sum + accounts, withoutTier)
  return html`<h2>${phrases.whoIsWhere}</h2>
${renderChart(overview, total, view)}
<p class="quiet">${windowDays === null ? phrases.allVisits : phrases.windowDays(windowDays)}</p>
${renderListHead(phrases.count(tiers.length), file, words)}
${renderTable(phrases.title, createColumns(total, view), tiers)}`
}

/** The height of a bar with its label, in pixels. */
const barHeight = 46

/**
 * Renders bars as wide as their share of the accounts. All lengths are shares of the width or pixels, so that the text
 * keeps its size however narrow the window is.
 */
function renderChart({ tiers, withoutTier }: TierOverview, total: number, { language, words }: Reading): Markup {
  const bars = [
    ...tiers.map(({ tier, accounts }) => ({ name: tier.name, accounts })),
    ...(withoutTier > 0 ? [{ name: words.tiers.withoutTier, accounts: withoutTier }] : []),
  ]
  const largest = Math.max(1, ...bars.map(({ accounts }) => accounts))
  const text = bars.map(({ name, accounts }) => `${name} ${formatCount(accounts, language)}`).join(', ')
  return html`<figure class="card chart"><svg role="img" aria-label="${words.tiers.chart(text)}" width="100%" height="${bars.length * barHeight}">
${bars.map(({ name, accounts }, at) => {
  const top = at * barHeight
  const width = accounts === 0 ? 0 : Math.max(0.6, (accounts / largest) * 100)
  return html`<text x="0" y="${top + 16}">${name}</text><text x="100%" y="${top + 16}" text-anchor="end">${formatCount(accounts, language)} · ${formatShare(accounts, total, language)}</text>
<rect class="track" x="0" y="${top + 22}" width="100%" height="12" rx="3"/><rect x="0" y="${top + 22}" width="${width.toFixed(2)}%" height="12" rx="3"/>
`
})}</svg></figure>`
}

const formatShare = (part: number, total: number, language: ConsoleLanguage): string =>
  (total === 0 ? 0 : part / total).toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 })

function createColumns(total: number, { language, words, mayUpdate }: TiersView): TableColumn<TierLine>[] {
  const { tiers: phrases } = words
  return [
    {
      head: phrases.name,
      cell: ({ tier }) => (mayUpdate ? html`<a href="/console/tiers/${tier.id}">${tier.name}</a>` : tier.name),
    },
    { head: phrases.requiredVisits, cell: ({ tier }) => formatCount(tier.requiredVisits, language), isNumber: true },
    { head: phrases.ratio, cell: ({ tier }) => tier.currencyToPointRatio.toLocaleString(language), isNumber: true },
    { head: phrases.people, cell: ({ accounts }) => formatCount(accounts, language), isNumber: true },
    { head: phrases.share, cell: ({ accounts }) => formatShare(accounts, total, language), isNumber: true },
  ]
}

/** What the form of a tier has in its fields. */
export interface TierForm {
  name: string
  requiredVisits: string
  currencyToPointRatio: string
  bgImageUrl: string
}
export const emptyForm: TierForm = { name: '', requiredVisits: '', currencyToPointRatio: '1', bgImageUrl: '' }

/** Parses the form of a tier. @throws VALIDATION_FAILED for what the operations of the API would not take */
export function parseTierForm(
  form: TierForm,
): Pick<RewardTier, 'name' | 'requiredVisits' | 'currencyToPointRatio'> & { bgImageUrl?: string } {
  const name = form.name.trim()
  const bgImageUrl = form.bgImageUrl.trim()
  const requiredVisits = /^\d{1,7}$/.test(form.requiredVisits.trim()) ? Number(form.requiredVisits) : Number.NaN
  const ratio = form.currencyToPointRatio.trim().replace(',', '.')
  const issues: Issue[] = []
  if (!isName(name)) issues.push({ path: 'name', code: name === '' ? 'required' : 'format', message: nameIssueMessage })
  if (!(requiredVisits <= 1_000_000))
    issues.push({ path: 'requiredVisits', code: 'number', message: 'must be a whole number from 0 to 1000000' })
  if (!/^\d{1,9}([.]\d{1,6})?$/.test(ratio))
    issues.push({ path: 'currencyToPointRatio', code: 'number', message: 'must be a number with at most 6 decimals' })
  if (bgImageUrl !== '' && !isWebAddress(bgImageUrl))
    issues.push({ path: 'bgImageUrl', code: 'format', message: 'must be an address that begins with https://' })
  if (issues.length > 0) throw createValidationProblem(issues)
  return { name, requiredVisits, currencyToPointRatio: Number(ratio), ...(bgImageUrl !== '' && { bgImageUrl }) }
}

const isWebAddress = (text: string): boolean => /^https:\/\/[^/?#\s]/i.test(text) && URL.canParse(text)

interface TierFormView extends Reading {
  title: string
  action: string
  /** The applications to choose from; null for a tier that has one. */
  applications: { all: readonly ApplicationChoice[]; chosen: string } | null
  back?: string
  problem: ProblemError | undefined
  /** Where the tier is deleted; null for a role that may not, and for a new tier. */
  deletion: string | null
}

/** Renders the form of a tier. */
export function renderTierForm(form: TierForm, view: TierFormView): Markup {
  const { tiers: phrases, list } = view.words
  const { applications } = view
  const { name, requiredVisits, ratio, picture } = phrases
  const labels = { name, requiredVisits, currencyToPointRatio: ratio, bgImageUrl: picture }
  return html`<p><a href="${view.back ?? '/console/tiers'}">${phrases.allTiers}</a></p>
<h1>${view.title}</h1>
${renderRefusal(view.problem, view.words, labels)}
<form class="card" method="post" action="${view.action}">
${applications && renderSelect({ name: 'application', label: list.application }, renderApplicationOptions(applications.all, applications.chosen))}
${renderField({ name: 'name', label: name, value: form.name, isRequired: true, maxLength: 200 })}
${renderField({ name: 'requiredVisits', label: requiredVisits, value: form.requiredVisits, type: 'number', isRequired: true, hint: phrases.visitsUse })}
${renderField({ name: 'currencyToPointRatio', label: ratio, value: form.currencyToPointRatio, type: 'number', step: 'any', isRequired: true, hint: phrases.ratioUse })}
${renderField({ name: 'bgImageUrl', label: `${picture} (${list.optional})`, value: form.bgImageUrl, type: 'url', maxLength: 2048, hint: phrases.pictureUse })}
<button>${list.save}</button>
</form>
${view.deletion !== null && html`<p><a href="${view.deletion}">${phrases.deleteButton}</a></p>`}`
}
