import type { CampaignDetails, CampaignStats } from '../../../../features/loyalty/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatCount, renderCards, renderInstant } from '../../frame/lists.views.ts'
import { getCampaignAddress } from '../paths.ts'
import { campaignWords, type CampaignWords } from '../words/words.ts'
import { minComparedSize } from './reach.ts'

interface ResultsView {
  campaign: CampaignDetails
  statistics: CampaignStats
  /** Whether it is known who is held back. */
  isFrozen: boolean
  now: Date
}

/** The outcomes in the order in which they are shown. */
const outcomeNames = ['sent', 'pending', 'failed', 'excludedFrequencyCap', 'excludedOptOut'] as const

/** The most deliveries that the file has. */
const maxExported = 50_000
const dayMs = 86_400_000

const formatShare = (share: number, language: ConsoleLanguage): string =>
  share.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 })

interface OutcomeCount {
  name: string
  meaning: string
  count: number
}

/** Renders what came of a campaign: its tally as bars and as a table, who came, and what the message brought. */
export function renderResults({ language }: ConsolePage, { campaign, statistics, isFrozen, now }: ResultsView): Markup {
  const phrases = campaignWords[language]
  const outcomes = outcomeNames
    .map((key): OutcomeCount => {
      const [name, meaning] = phrases.outcomes[key] ?? [key, '']
      return { name, meaning, count: statistics.deliveries[key] }
    })
    .filter(({ count }, at) => count > 0 || at === 0)
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  return html`<h2 id="results">${phrases.results}</h2>
<section class="card" aria-labelledby="results">${renderFigures(campaign, statistics, { phrases, language, now })}
${isFrozen && html`<p>${explainComparison(statistics, phrases, language)}</p>`}</section>
<h2 id="tally">${phrases.tally}</h2>
${renderChart(outcomes, total, { phrases, language })}
${renderCards(phrases.tally, createColumns(total, phrases, language), outcomes)}
${total > 0 && html`<p><a href="${getCampaignAddress(campaign.id, '/deliveries.csv')}">${phrases.deliveries}</a>${total > maxExported && html` <span class="quiet">${phrases.truncated}</span>`}</p>`}`
}

interface Reading {
  phrases: CampaignWords
  language: ConsoleLanguage
}

function renderFigures(
  { sentAt, conversionWindowDays, status }: CampaignDetails,
  { recipientsNotified, recipientsVisited, conversionRate }: CampaignStats,
  { phrases, language, now }: Reading & { now: Date },
): Markup {
  const end = sentAt === null ? null : new Date(Date.parse(sentAt) + conversionWindowDays * dayMs)
  const isOver = status === 'finished' || (end !== null && end <= now)
  return html`<dl class="figures"><div><dt>${phrases.notified}</dt><dd>${formatCount(recipientsNotified, language)}</dd></div>
<div><dt>${phrases.visited}</dt><dd>${formatCount(recipientsVisited, language)}</dd></div>
<div><dt>${phrases.conversion}</dt><dd>${conversionRate === null ? '–' : formatShare(conversionRate, language)}</dd></div></dl>
${end !== null && html`<p class="quiet">${isOver ? phrases.windowEnded : phrases.windowEnds} ${renderInstant(end.toISOString())}.</p>`}`
}

/** Says in a sentence what the message brought, by those who were held back. */
function explainComparison(
  { conversionRate, recipientsNotified, recipientsVisited, holdout, lift }: CampaignStats,
  phrases: CampaignWords,
  language: ConsoleLanguage,
): string {
  if (holdout === null) return phrases.noHoldout
  if (conversionRate === null) return phrases.noComparison
  if (recipientsVisited + holdout.visited === 0) return phrases.nobodyYet(formatCount(holdout.size, language))
  const rate = formatShare(conversionRate, language)
  const heldRate = formatShare(holdout.rate ?? 0, language)
  const isSmall = Math.min(holdout.size, recipientsNotified) < minComparedSize
  const sentences = [
    lift === null
      ? phrases.liftNone(rate, formatCount(holdout.size, language))
      : (lift < 0 ? phrases.liftDown : phrases.lift)(rate, heldRate, formatShare(Math.abs(lift), language)),
    ...(isSmall ? [phrases.small] : []),
  ]
  return sentences.join(' ')
}

/** The height of a bar with its label, in pixels. */
const barHeight = 46

/** Renders bars as wide as their share of the messages; the text keeps its size however narrow the window is. */
function renderChart(outcomes: readonly OutcomeCount[], total: number, { phrases, language }: Reading): Markup {
  const text = outcomes.map(({ name, count }) => `${name} ${formatCount(count, language)}`).join(', ')
  return html`<figure class="card chart"><svg role="img" aria-label="${phrases.chart(text)}" width="100%" height="${outcomes.length * barHeight}">
${outcomes.map(({ name, count }, at) => {
  const top = at * barHeight
  const width = count === 0 ? 0 : Math.max(0.6, (count / total) * 100)
  return html`<text x="0" y="${top + 16}">${name}</text><text x="100%" y="${top + 16}" text-anchor="end">${formatCount(count, language)}</text>
<rect class="track" x="0" y="${top + 22}" width="100%" height="12" rx="3"/><rect x="0" y="${top + 22}" width="${width.toFixed(2)}%" height="12" rx="3"/>
`
})}</svg></figure>`
}

const createColumns = (total: number, phrases: CampaignWords, language: ConsoleLanguage) => [
  { head: phrases.outcome, cell: ({ name }: OutcomeCount) => name },
  {
    head: phrases.tally,
    cell: ({ count }: OutcomeCount) => formatCount(count, language),
    isNumber: true as const,
  },
  {
    head: phrases.share,
    cell: ({ count }: OutcomeCount) => formatShare(total === 0 ? 0 : count / total, language),
    isNumber: true as const,
  },
  { head: phrases.meaning, cell: ({ meaning }: OutcomeCount) => meaning },
]
