import type { Campaign } from '../../../../features/loyalty/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import { may } from '../../console.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { renderInstant } from '../../frame/lists.views.ts'
import { getCampaignAddress } from '../paths.ts'
import { campaignWords } from '../words/words.ts'
import { formatMoment } from './local-times.ts'

/** Renders what can be done with a draft besides changing it. What the role lacks is absent. */
export function renderDraftActs({ member, language }: ConsolePage, { id, content }: Campaign): Markup | false {
  const phrases = campaignWords[language]
  const maySend = may(member, 'loyalty:update')
  const mayDelete = may(member, 'loyalty:delete')
  return html`${maySend && content === null && html`<p class="quiet">${phrases.needsText}</p>`}
${
  (mayDelete || (maySend && content !== null))
  && html`<p class="buttons">${
    maySend
    && content !== null
    && html`<a class="button small" href="${getCampaignAddress(id, '/send')}">${phrases.send}</a> <a class="button small plain" href="${getCampaignAddress(id, '/schedule')}">${phrases.schedule}</a>`
  } ${mayDelete && html`<a href="${getCampaignAddress(id, '/delete')}">${phrases.deleteDraft}</a>`}</p>`
}`
}

interface PlanView {
  timeZone: string
  jobLost: boolean
}

/** Renders when a scheduled campaign is sent, and the way back. */
export function renderPlan(
  { member, language }: ConsolePage,
  { id, sendAt }: Pick<Campaign, 'id' | 'sendAt'>,
  { timeZone, jobLost }: PlanView,
): Markup | false {
  const phrases = campaignWords[language]
  if (sendAt === null) return false
  return html`<section class="card" aria-label="${phrases.schedule}"><p>${phrases.plannedFor} <strong>${phrases.inZone(formatMoment(sendAt, timeZone, language), timeZone)}</strong></p>
<p class="quiet">${phrases.onYourClock} ${renderInstant(sendAt)}</p>
${jobLost && html`<p class="bad">${phrases.jobLost}</p>`}
${
  may(member, 'loyalty:update')
  && html`<form method="post" action="${getCampaignAddress(id, '/cancel')}"><button class="small plain">${phrases.cancel}</button></form>`
}</section>`
}

interface StrandedView {
  id: string
  /** Why the job failed, in English; null if it is gone. */
  reason: { code: string | null; message: string } | null
}

/** Renders that a campaign stopped, why, and what to do. */
export function renderStranded({ member, language }: ConsolePage, { id, reason }: StrandedView): Markup {
  const phrases = campaignWords[language]
  const { refusals } = phrases
  const known = reason?.code ? refusals[reason.code] : undefined
  return html`<section class="notice" role="alert"><p><span aria-hidden="true">⚠ </span><strong>${phrases.stranded}</strong></p>
<p>${reason === null ? phrases.strandedGone : html`${phrases.strandedWhy} ${known ?? html`<span lang="en">${reason.message}</span>`}`}</p>
${may(member, 'loyalty:update') && html`<p class="buttons"><a class="button small" href="${getCampaignAddress(id, '/resume')}">${phrases.resume}</a></p>`}</section>`
}
