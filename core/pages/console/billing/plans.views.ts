import type { Plan } from '../../../features/organization/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { MeterCode } from '../../../kernel/words.ts'
import { html, type Markup } from '../../site/html.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderCards, type TableColumn } from '../frame/lists.views.ts'
import { formatAmount } from './portal.views.ts'
import { renderPortalForm } from './usage.views.ts'
import { usageWords } from './usage.words.ts'

interface PlansView {
  plans: readonly Plan[]
  /** The plan of the organization. */
  own: string
  mayOpenPortal: boolean
}

/** Renders the plans for comparison, the own one marked: a line for each, and in a narrow window a card. */
export function renderPlans({ language }: ConsolePage, { plans, own, mayOpenPortal }: PlansView): Markup {
  const phrases = usageWords[language]
  const codes = Object.keys(phrases.meters) as MeterCode[]
  const columns: TableColumn<Plan>[] = [
    {
      head: phrases.plan,
      cell: ({ id, name, description }) =>
        html`<div><strong>${name}</strong>${id === own && html` <span class="badge good">${phrases.yours}</span>`}<br><span class="quiet" lang="en">${description}</span></div>`,
    },
    {
      head: phrases.monthlyPrice,
      cell: ({ monthlyPrice, currency }) => formatAmount(monthlyPrice, currency, language),
      isNumber: true,
    },
    ...codes.map((code) => ({
      head: phrases.meters[code],
      cell: (plan: Plan) => renderMeter(plan, code, language),
    })),
  ]
  return html`<p><a href="/console/organization">${phrases.toOrganization}</a></p>
<h1>${phrases.plans}</h1>
<p>${phrases.plansIntro}</p>
${renderCards(phrases.plans, columns, plans)}
${mayOpenPortal && renderPortalForm(language)}`
}

/** Renders what a plan allows of a meter in a month, and what more costs. */
function renderMeter({ meters, currency }: Plan, code: MeterCode, language: ConsoleLanguage): Markup | string {
  const phrases = usageWords[language]
  const meter = meters.find((one) => one.code === code)
  if (!meter || meter.limit === null) return phrases.noLimit
  return html`<div>${formatCount(meter.limit, language)}<br><span class="quiet">${formatOverage(meter.overagePrice, currency, language)}</span></div>`
}

function formatOverage(price: string | null, currency: Plan['currency'], language: ConsoleLanguage): string {
  const phrases = usageWords[language]
  if (price === null) return phrases.nothingPast
  return Number(price) === 0 ? phrases.freePast : phrases.pastLimit(formatAmount(price, currency, language))
}
