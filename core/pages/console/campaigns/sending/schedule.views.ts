import type { Campaign } from '../../../../features/loyalty/index.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderRefusal } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { getCampaignAddress } from '../paths.ts'
import { addCampaignRefusals, campaignWords } from '../words/words.ts'
import type { ClockMoment } from './local-times.ts'
import type { ScheduleForm } from './schedule.ts'

interface SchedulingView {
  title: string
  campaign: Campaign
  consequences: readonly (string | false)[]
  mark: string
  form: ScheduleForm
  timeZone: string
  /** The two moments that the time on the clock can mean; none if it means one. */
  twice: readonly ClockMoment[]
  problem: ProblemError | undefined
}

/** Renders the page that says what scheduling does, with the field for the time. */
export function renderScheduling(page: ConsolePage, view: SchedulingView): Markup {
  const { words, language } = page
  const phrases = campaignWords[language]
  const { title, campaign, consequences, mark, form, timeZone, twice, problem } = view
  const address = getCampaignAddress(campaign.id)
  const isWrong = (problem?.errors ?? []).some(({ path }) => path === 'at')
  const [first, second] = twice
  return html`<h1>${title}</h1>
${renderRefusal(problem, addCampaignRefusals(page), { at: phrases.at })}
<section class="card" aria-label="${words.list.willHappen}"><h2>${words.list.willHappen}</h2>
<ul>${consequences.map((sentence) => sentence !== false && html`<li>${sentence}</li>`)}</ul>
<form method="post" action="${address}/schedule"><input type="hidden" name="mark" value="${mark}">
<div class="field narrow"><label for="at">${phrases.at}</label>
<input id="at" name="at" type="datetime-local" required${isWrong && html` aria-invalid="true"`} aria-describedby="at-use" value="${form.at}">
<p class="quiet" id="at-use">${phrases.atHint(timeZone)}</p></div>
${
  first
  && second
  && html`<fieldset><legend>${phrases.which}</legend>
${renderChoice('first', phrases.whichFirst(first.offset), form)}${renderChoice('second', phrases.whichSecond(second.offset), form)}</fieldset>`
}
<p class="row"><a href="${address}">${words.list.cancel}</a><button class="small danger">${phrases.scheduleButton}</button></p></form></section>`
}

const renderChoice = (which: 'first' | 'second', label: string, form: ScheduleForm): Markup =>
  html`<label class="option"><input type="radio" name="which" value="${which}" required${form.which === which && html` checked`}>
<span>${label}</span></label>`
