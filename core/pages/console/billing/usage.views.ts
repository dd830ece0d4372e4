import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { QuotaUsage } from '../../../features/organization/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { formatCount, renderDay } from '../frame/lists.views.ts'
import { usageWords } from './usage.words.ts'

/** Where the button for the billing page sends its form. */
export const portalPath = '/console/billing/portal'
/** The page that compares the plans. */
export const plansPath = '/console/plans'

/** Renders what was used of each meter, against the limits of the plan. */
export function renderUsage({ plan, period, meters }: QuotaUsage, language: ConsoleLanguage): Markup {
  const phrases = usageWords[language]
  const format = (count: number) => formatCount(count, language)
  const renderMeter = ({ code, used, reserved, limit }: QuotaUsage['meters'][number]) => {
    const taken = used + reserved
    const name = phrases.meters[code]
    return html`<div><dt>${name}</dt><dd>${limit === null ? html`${format(taken)} <span class="quiet">${phrases.noLimit}</span>` : phrases.ofLimit(format(taken), format(limit))}
${limit !== null && html`<progress class="bar" max="${Math.max(limit, 1)}" value="${Math.min(taken, limit)}" aria-label="${name}"></progress>`}</dd></div>`
  }
  return html`<section aria-labelledby="usage"><h2 id="usage">${phrases.usageHead(plan.name)}</h2>
<div class="card"><dl>${meters.map(renderMeter)}</dl>
<p class="quiet">${phrases.usageUntil} ${renderDay(period.end)}</p></div></section>`
}

/** Renders the button that opens the billing page. */
export const renderPortalForm = (language: ConsoleLanguage): Markup =>
  html`<form method="post" action="${portalPath}"><button class="small plain">${usageWords[language].openPortal}</button></form>`

/** Renders plan and usage with the way to all plans, and the button that opens the billing page for those who may. */
export const renderPlan = (usage: QuotaUsage, language: ConsoleLanguage, mayOpenPortal: boolean): Markup =>
  html`${renderUsage(usage, language)}
<p><a href="${plansPath}">${usageWords[language].comparePlans}</a></p>
${mayOpenPortal && renderPortalForm(language)}`
