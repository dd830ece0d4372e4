import type { ApplicationShape } from '../../../features/applications/index.ts'
import type { JobRow } from '../../../features/jobs/index.ts'
import type { CampaignDetails, CampaignStats, Targeting } from '../../../features/loyalty/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderInstant } from '../frame/lists.views.ts'
import { renderState } from './campaigns.views.ts'
import { renderPhones } from './cards/card.views.ts'
import { cardWords } from './cards/words.ts'
import { campaignsPath } from './paths.ts'
import { renderPlan, renderStranded } from './sending/acts.views.ts'
import { renderProgress } from './sending/progress.views.ts'
import { renderResults } from './sending/results.views.ts'
import { addCampaignRefusals, campaignWords, type CampaignWords } from './words/words.ts'

/** What the page of a campaign shows. */
export interface CampaignPageView {
  campaign: CampaignDetails
  /** The job that sends it; null if there is none, or none any more. */
  job: JobRow | null
  /** Whether all of its deliveries are written down. */
  isFrozen: boolean
  statistics: CampaignStats
  application: Pick<ApplicationShape, 'name' | 'theme'>
  tiers: readonly { id: string; name: string }[]
  /** The time zone of the organization. */
  timeZone: string
  now: Date
  problem: ProblemError | undefined
}

/** Renders a campaign that is no form any more. */
export function renderCampaignPage(page: ConsolePage, view: CampaignPageView): Markup {
  const { language } = page
  const phrases = campaignWords[language]
  const { campaign, job, timeZone, problem } = view
  const { status, isStranded, scheduleJobLost, sentAt } = campaign
  const [fault] = job?.errors ?? []
  return html`<p><a href="${campaignsPath}">${phrases.all}</a></p>
<h1>${phrases.editTitle(campaign.name)}</h1>
${renderRefusal(problem, addCampaignRefusals(page))}
<p role="status">${renderState(status, phrases)}${!isStranded && ` ${phrases.stateMeanings[status]}`}</p>
${status === 'scheduled' && renderPlan(page, campaign, { timeZone, jobLost: scheduleJobLost })}
${isStranded && renderStranded(page, { id: campaign.id, reason: fault ?? null })}
${status === 'sending' && !isStranded && job && renderProgress(page, { ...view, job })}
${sentAt !== null && (status !== 'sending' || isStranded) && renderResults(page, view)}
${renderMessage(page, view)}
<h2>${phrases.about}</h2>
${renderFacts(view, phrases, language)}`
}

function renderMessage({ language }: ConsolePage, { campaign, application }: CampaignPageView): Markup | false {
  const phrases = campaignWords[language]
  const { content, channels } = campaign
  const { theme, name } = application
  return (
    content !== null
    && html`<h2>${phrases.sendText}</h2>
<section class="card" aria-label="${phrases.sendText}"><p><strong>${content.headline}</strong><br>${content.body}</p>
${renderPhones({ theme, program: theme.title ?? name, tier: cardWords[language].exampleTier, message: content }, channels, language)}</section>`
  )
}

/** Lists the conditions of an audience as people read them. */
function listConditions(
  targeting: Targeting,
  tiers: CampaignPageView['tiers'],
  phrases: CampaignWords,
  language: ConsoleLanguage,
): (readonly [name: string, value: string])[] {
  const { rewardTiers, locales, network, birthdayMonth, ...numbers } = targeting
  const names = new Map(tiers.map(({ id, name }) => [id, name]))
  const languageNames = new Intl.DisplayNames([language], { type: 'language' })
  const month = (at: number) =>
    new Date(Date.UTC(2026, at - 1, 1)).toLocaleDateString(language, { month: 'long', timeZone: 'UTC' })
  return [
    ...Object.entries(numbers).map(
      ([name, value]) => [phrases.fields[name as keyof typeof numbers], formatCount(Number(value), language)] as const,
    ),
    ...(birthdayMonth === undefined ? [] : [[phrases.fields.birthdayMonth, month(birthdayMonth)] as const]),
    ...(network === undefined ? [] : [[phrases.fields.network, network] as const]),
    ...(rewardTiers === undefined
      ? []
      : [[phrases.tiers, rewardTiers.map((id) => names.get(id) ?? phrases.deletedTier).join(', ')] as const]),
    ...(locales === undefined
      ? []
      : [[phrases.languages, locales.map((tag) => languageNames.of(tag) ?? tag).join(', ')] as const]),
  ]
}

function renderFacts(view: CampaignPageView, phrases: CampaignWords, language: ConsoleLanguage): Markup {
  const { campaign, application, tiers } = view
  const { audienceSize, sentAt, finishedAt, description, scheduledImmediately } = campaign
  const rows: (readonly [name: string, value: Markup | string] | false)[] = [
    [phrases.application, application.name],
    [phrases.wallets, campaign.channels.map((channel) => phrases.channels[channel]).join(', ')],
    description !== null && [phrases.description, description],
    audienceSize !== null && [phrases.audienceSize, formatCount(audienceSize, language)],
    ...listConditions(campaign.targeting, tiers, phrases, language),
    sentAt !== null && [phrases.began, renderInstant(sentAt)],
    finishedAt !== null && [phrases.ended, renderInstant(finishedAt)],
  ]
  return html`<section class="card" aria-label="${phrases.about}"><dl>
${rows.map((row) => row !== false && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)}
</dl>${scheduledImmediately && html`<p class="quiet">${phrases.scheduledImmediately}</p>`}</section>`
}
