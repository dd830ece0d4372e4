import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatCount, renderInstant } from '../../frame/lists.views.ts'
import { campaignWords } from '../words/words.ts'
import type { AudienceNumbers } from './audience.ts'

/** Renders whom a campaign would reach now. @param numbers null if the form is not written as it has to be */
export function renderNumbers({ language }: ConsolePage, numbers: AudienceNumbers | null): Markup {
  const phrases = campaignWords[language]
  if (numbers === null) return html`<p>${phrases.noNumbers}</p>`
  const { matching, reachableNow, withheld, heldBack, fullAvailabilityAt } = numbers
  const figures: (readonly [name: string, count: number])[] = [
    [phrases.matching, matching],
    [phrases.reachable, reachableNow],
    [phrases.withheld, withheld],
    ...(heldBack > 0 ? [[phrases.heldBack, heldBack] as const] : []),
  ]
  return html`<dl class="figures">${figures.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatCount(count, language)}</dd></div>`)}</dl>
${matching === 0 && html`<p class="quiet">${phrases.nobody}</p>`}
${withheld > 0 && html`<p class="quiet">${fullAvailabilityAt === null ? phrases.never : html`${phrases.withheldHint} ${phrases.fullyAt} ${renderInstant(fullAvailabilityAt)}.`}</p>`}`
}
