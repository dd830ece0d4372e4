import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { PlanEntry, QuotaUsage, UpcomingInvoice } from '../../../features/organization/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderRefusal, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderDay, renderOptions, renderTable } from '../frame/lists.views.ts'
import { portalWords, type PortalWords } from './portal.words.ts'
import { portalPath, renderUsage } from './usage.views.ts'
import { usageWords } from './usage.words.ts'

/** What our own billing page shows. */
export interface PortalView {
  plan: PlanEntry
  /** The plans to choose from; empty where nobody can change the plan here. */
  plans: readonly PlanEntry[]
  usage: QuotaUsage
  invoice: UpcomingInvoice
  returnUrl: string
  isChanged: boolean
  problem: ProblemError | undefined
}

/** Renders the plan, what was used, and the invoices to come. */
export function renderPortal({ language, words, here }: ConsolePage, view: PortalView): Markup {
  const { plan, plans, usage, invoice, returnUrl, isChanged, problem } = view
  const phrases = portalWords[language]
  return html`<h1>${phrases.title}</h1>
${isChanged && html`<p class="good" role="status">${phrases.changed}</p>`}
${renderRefusal(problem, words, { plan: phrases.choosePlan })}
<section class="card" aria-labelledby="plan"><h2 id="plan">${phrases.planHead(plan.name)}</h2>
<p>${plan.description}</p>
<p>${phrases.price(formatAmount(plan.monthlyPrice, plan.currency, language))}</p>
${
  plans.length === 0
    ? html`<p class="quiet">${phrases.operatorDecides}</p>`
    : html`<form method="post" action="${here}">
${renderSelect(
  { name: 'plan', label: phrases.choosePlan, hint: phrases.planHint },
  renderOptions(
    plans.map(({ id, name }) => [id, name] as const),
    plan.id,
  ),
)}
<button>${phrases.changePlan}</button></form>`
}</section>
${renderUsage(usage, language)}
${renderInvoice(invoice, plan, phrases, language)}
<p><a href="${returnUrl}">${phrases.back(new URL(returnUrl).host)}</a></p>`
}

function renderInvoice(
  { issuedAt, currency, lines, total }: UpcomingInvoice,
  plan: PlanEntry,
  phrases: PortalWords,
  language: ConsoleLanguage,
): Markup {
  const format = (amount: string) => formatAmount(amount, currency, language)
  const rows = [
    ...lines.map(({ meter, units, unitPrice, amount }) => ({
      name: meter === null ? phrases.planLine(plan.name) : phrases.overageLine(usageWords[language].meters[meter]),
      units: formatCount(units, language),
      unitPrice: format(unitPrice),
      amount: format(amount),
    })),
    { name: phrases.total, units: '', unitPrice: '', amount: format(total) },
  ]
  const columns = [
    { head: phrases.line, cell: (row: (typeof rows)[number]) => row.name },
    { head: phrases.units, cell: (row: (typeof rows)[number]) => row.units, isNumber: true as const },
    { head: phrases.unitPrice, cell: (row: (typeof rows)[number]) => row.unitPrice, isNumber: true as const },
    { head: phrases.amount, cell: (row: (typeof rows)[number]) => row.amount, isNumber: true as const },
  ]
  return html`<section aria-labelledby="invoices"><h2 id="invoices">${phrases.invoicesHead}</h2>
<p>${phrases.invoiceDue} ${renderDay(issuedAt)}. <span class="quiet">${phrases.invoiceHint}</span></p>
${renderTable(phrases.invoicesHead, columns, rows)}</section>`
}

/** Formats an amount in the way of a language, with all its digits. @param amount a decimal */
export const formatAmount = (amount: string, currency: PlanEntry['currency'], language: ConsoleLanguage): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 8 }).format(
    amount as `${number}`,
  )

/** Renders what became of a link that was opened before, or too late. */
export const renderEnded = ({ endedTitle, ended, another }: PortalWords): Markup => html`<h1>${endedTitle}</h1>
<p class="bad" role="alert">${ended}</p>
<form method="post" action="${portalPath}"><button>${another}</button></form>`

/** Renders the way to the page of a provider. Forms lead to our own pages only, so it is a link. */
export const renderLeave = ({ leaveTitle, leave, continue: goOn }: PortalWords, url: string): Markup => {
  const { host } = new URL(url)
  return html`<h1>${leaveTitle}</h1>
<p>${leave(host)}</p>
<p><a class="button" href="${url}" rel="noreferrer">${goOn(host)}</a></p>`
}
