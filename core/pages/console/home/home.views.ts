import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { DppMetrics, LoyaltyMetrics } from '../../../features/metrics/index.ts'
import type { QuotaUsage } from '../../../features/organization/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderUsage } from '../billing/usage.views.ts'
import { usageWords } from '../billing/usage.words.ts'
import { getWalletsAddress } from '../branding/wallets/paths.ts'
import { walletWords } from '../branding/wallets/words.ts'
import { getCampaignAddress } from '../campaigns/paths.ts'
import { campaignWords } from '../campaigns/words/words.ts'
import { eventsPath } from '../events/events.views.ts'
import { eventWords } from '../events/words.ts'
import { formatCount, formatPoints, renderDay } from '../frame/lists.views.ts'
import { renderBars } from './bars.views.ts'
import type { FirstStep, HomeWords } from './words.ts'

/** What the first page shows. A part that the role may not read is null. */
export interface HomeView {
  metrics: DppMetrics | null
  /** Null too if no application uses points. */
  loyalty: LoyaltyMetrics | null
  usage: QuotaUsage | null
  /** The number of failed jobs; null if the role has no page that shows them. */
  failedJobs: number | null
  /** The keys that expire soon. */
  expiringKeys: readonly { name: string; expiresAt: string }[]
  /** Whether a certification key waits for its registration on a network. */
  isKeyWaiting: boolean
  /** Campaigns that stopped before all of their messages were sent. */
  strandedCampaigns: readonly { id: string; name: string }[]
  /** Certificates of wallets that end soon, each with its application. */
  certificates: readonly { application: string; name: string; expiresAt: string }[]
  /** The ways to begin that the role has. */
  firstSteps: readonly FirstStep[]
}

/** The share of a limit from which somebody should know. */
const nearShare = 0.8

type MeterUsage = QuotaUsage['meters'][number]

const isNearLimit = ({ used, reserved, limit }: MeterUsage): boolean =>
  limit !== null && limit > 0 && used + reserved >= nearShare * limit

/** Renders the first page: what waits for somebody, then figures. */
export function renderHome(view: HomeView, phrases: HomeWords, language: ConsoleLanguage): Markup {
  const { metrics, loyalty, usage } = view
  return html`<h1>${phrases.title}</h1>
${renderNeeds(view, phrases, language)}
${metrics && isEmpty(metrics) && view.firstSteps.length > 0 && renderFirstSteps(view.firstSteps, phrases)}
<div class="pair">${metrics && renderPassports(metrics, phrases, language)}
${usage && renderUsage(usage, language)}</div>
${metrics && renderActivity(metrics, phrases, language)}
${loyalty && renderLoyalty(loyalty, phrases, language)}`
}

const isEmpty = ({ totals: { passportsByStatus } }: DppMetrics): boolean =>
  Object.values(passportsByStatus).every((count) => count === 0)

function renderNeeds(view: HomeView, phrases: HomeWords, language: ConsoleLanguage): Markup {
  const { failedJobs, expiringKeys, isKeyWaiting, strandedCampaigns, certificates, usage } = view
  const format = (count: number) => formatCount(count, language)
  const needs = [
    ...(failedJobs ? [html`<a href="/console/developers">${phrases.failedJobs(format(failedJobs))}</a>`] : []),
    ...expiringKeys.map(
      ({ name, expiresAt }) => html`<a href="/console/keys">${phrases.expiringKey(name)}</a> ${renderDay(expiresAt)}`,
    ),
    ...(isKeyWaiting ? [html`<a href="/console/certification">${phrases.waitingKey}</a>`] : []),
    ...strandedCampaigns.map(
      ({ id, name }) => html`<a href="${getCampaignAddress(id)}">${campaignWords[language].needs(name)}</a>`,
    ),
    ...certificates.map(
      ({ application, name, expiresAt }) =>
        html`<a href="${getWalletsAddress(application)}">${walletWords[language].needs(name)}</a> ${renderDay(expiresAt)}`,
    ),
    ...(usage?.meters ?? [])
      .filter(isNearLimit)
      .map(({ code, used, reserved, limit }) =>
        phrases.nearLimit(usageWords[language].meters[code], format(used + reserved), format(limit ?? 0)),
      ),
  ]
  return html`<section class="card" aria-labelledby="needs"><h2 id="needs">${phrases.needsHead}</h2>
${needs.length === 0 ? html`<p>${phrases.needsNothing}</p>` : html`<ul>${needs.map((need) => html`<li>${need}</li>`)}</ul>`}</section>`
}

const renderFirstSteps = (firstSteps: readonly FirstStep[], { firstHead }: HomeWords): Markup =>
  html`<section class="card" aria-labelledby="first"><h2 id="first">${firstHead}</h2>
<ol>${firstSteps.map(([path, text]) => html`<li><a href="${path}">${text}</a></li>`)}</ol></section>`

const statusFilters = ['draft', 'published', 'claimed', 'archived'] as const

const renderPassports = (
  { totals: { passportsByStatus } }: DppMetrics,
  { passportsHead, statuses }: HomeWords,
  language: ConsoleLanguage,
): Markup =>
  html`<section aria-labelledby="passports"><h2 id="passports">${passportsHead}</h2>
<dl class="card figures">${statusFilters.map(
    (status) =>
      html`<div><dt><a href="/console/passports?status=${status}">${statuses[status]}</a></dt><dd>${formatCount(passportsByStatus[status], language)}</dd></div>`,
  )}</dl></section>`

const renderActivity = ({ totals, series }: DppMetrics, phrases: HomeWords, language: ConsoleLanguage): Markup =>
  html`<section aria-labelledby="activity"><h2 id="activity">${phrases.activityHead}</h2>
<div class="pair">${(['scans', 'claims'] as const).map(
    (figure) =>
      html`<div class="card">${renderBars(
        {
          label: phrases.totalOf(phrases[figure], formatCount(totals[figure], language)),
          tableLabel: phrases.tableOf(phrases[figure]),
          heads: [phrases.day, phrases[figure]],
        },
        series.map(({ at, [figure]: count }) => ({ at, count })),
        language,
      )}</div>`,
  )}</div>
<p><a href="${eventsPath}">${eventWords[language].link}</a></p></section>`

const loyaltyFigures = ['accountsCreated', 'activeAccounts', 'orders', 'pointsBurnt', 'pointsExpired'] as const

const renderLoyalty = ({ totals, series }: LoyaltyMetrics, phrases: HomeWords, language: ConsoleLanguage): Markup =>
  html`<section aria-labelledby="loyalty"><h2 id="loyalty">${phrases.loyaltyHead}</h2>
<dl class="card figures">${loyaltyFigures.map(
    (figure) =>
      html`<div><dt>${phrases.loyalty[figure]}</dt><dd>${formatPoints(String(totals[figure]), language)}</dd></div>`,
  )}</dl>
<div class="pair">${(['visits', 'pointsMinted'] as const).map(
    (figure) =>
      html`<div class="card">${renderBars(
        {
          label: phrases.totalOf(phrases.loyalty[figure], formatPoints(String(totals[figure]), language)),
          tableLabel: phrases.tableOf(phrases.loyalty[figure]),
          heads: [phrases.day, phrases.loyalty[figure]],
        },
        // A bar needs no more digits than a number has; the table has them all.
        series.map(({ at, [figure]: count }) => ({
          at,
          count: Number(count),
          text: formatPoints(String(count), language),
        })),
        language,
      )}</div>`,
  )}</div>
<p><a href="/console/accounts">${phrases.loyaltyLink}</a></p></section>`
