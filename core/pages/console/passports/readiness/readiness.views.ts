import { passportStatuses, severities, type ReadinessSummary } from '../../../../features/dpp/index.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatAddress, isGiven } from '../../frame/lists.ts'
import {
  formatCount,
  renderApplicationOptions,
  renderOptions,
  renderPager,
  renderCards,
  renderWhatNext,
  type ApplicationChoice,
} from '../../frame/lists.views.ts'
import { filterNames, type PassportQuery } from '../list/filters.ts'
import { getPassportAddress, passportsPath } from '../list/titles.ts'
import { passportWords } from '../words/words.ts'
import { readinessWords, type ReadinessWords } from './words.ts'

export const readinessPath = `${passportsPath}/readiness`

type Severity = (typeof severities)[number]
type RuleSummary = ReadinessSummary['byRule'][number]

/** What the page shows: a page of the passports that the filters find, and one rule or all. */
export interface ReadinessChoice {
  query: PassportQuery
  severity: Severity
  rule: string | null
  /** Where the passports begin; undefined or empty for the first ones. */
  cursor: string | undefined
}

interface ReadinessView {
  applications: readonly ApplicationChoice[]
  summary: ReadinessSummary
  /** Where the passports go on; null after the last ones. */
  nextCursor: string | null
}

const getAddress = ({ query, severity, cursor }: ReadinessChoice, rule: string | null): string =>
  formatAddress(readinessPath, {
    ...query,
    ...(severity !== 'info' && { severity }),
    ...(rule !== null && { rule }),
    cursor,
  })

/** Renders the readiness of passports by rule, or one rule with its passports. */
export function renderReadinessSummary(page: ConsolePage, choice: ReadinessChoice, view: ReadinessView): Markup {
  const phrases = readinessWords[page.language]
  const title = choice.rule === null ? phrases.title : phrases.passportsOf(choice.rule)
  return html`<p><a href="${choice.rule === null ? formatAddress(passportsPath, { ...choice.query }) : getAddress(choice, null)}">${choice.rule === null ? passportWords[page.language].title : phrases.allRules}</a></p>
<h1>${title}</h1>
<p>${phrases.intro}</p>
${renderFilters(page, choice, view)}
${renderSummary(page, choice, view)}
${renderPager(getAddress({ ...choice, cursor: undefined }, choice.rule), view.nextCursor === null ? null : getAddress({ ...choice, cursor: view.nextCursor }, choice.rule), { isFirst: !isGiven(choice.cursor), words: page.words })}`
}

function renderSummary(page: ConsolePage, choice: ReadinessChoice, { summary, nextCursor }: ReadinessView): Markup {
  const { words, language } = page
  const phrases = readinessWords[language]
  const { passports, ready, byRule } = summary
  if (passports === 0) return renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
  const figures = [
    [phrases.total, passports],
    [phrases.ready, ready],
    [phrases.notReady, passports - ready],
  ] as const
  const isPart = nextCursor !== null || isGiven(choice.cursor)
  const part = isPart && html`<p role="status">${phrases.part(formatCount(passports, language))}</p>`
  const counted = html`${part}<dl class="card figures">${figures.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatCount(count, language)}</dd></div>`)}</dl>`
  if (choice.rule === null)
    return html`${counted}
${byRule.length === 0 ? html`<p>${phrases.nothingFound}</p>` : renderRules(byRule, choice, language)}`
  const [rule] = byRule
  return html`${part}${rule ? renderRule(rule, page) : html`<p role="status">${phrases.noneBreaks}</p>`}`
}

const renderSeverity = (severity: Severity, { severities: names }: ReadinessWords): Markup =>
  html`<span class="badge${severity === 'error' && ' bad'}">${names[severity]}</span>`

function renderRules(byRule: readonly RuleSummary[], choice: ReadinessChoice, language: ConsoleLanguage): Markup {
  const phrases = readinessWords[language]
  const columns = [
    { head: phrases.severity, cell: ({ severity }: RuleSummary) => renderSeverity(severity, phrases) },
    {
      head: phrases.rule,
      cell: ({ rule }: RuleSummary) => html`<a href="${getAddress(choice, rule)}"><code>${rule}</code></a>`,
    },
    {
      head: phrases.passports,
      cell: ({ passports }: RuleSummary) => formatCount(passports, language),
      isNumber: true as const,
    },
    {
      head: phrases.remedy,
      cell: ({ fix, rule }: RuleSummary) =>
        fix === undefined
          ? html`<a href="${getAddress(choice, rule)}" aria-label="${phrases.seeRule}: ${rule}">${phrases.seeRule}</a>`
          : html`<span lang="en">${fix}</span>`,
    },
  ]
  return renderCards(phrases.rules, columns, byRule)
}

/** Renders one rule: where it is broken, what to do, and the first passports that break it. */
function renderRule({ severity, passports, sample, paths = [], fix, example }: RuleSummary, { language }: ConsolePage) {
  const phrases = readinessWords[language]
  return html`<section class="card" aria-label="${phrases.remedy}"><p>${renderSeverity(severity, phrases)} ${fix !== undefined && html`<span lang="en">${fix}</span>`}</p>
<dl>${paths.length > 0 && html`<div><dt>${phrases.paths}</dt><dd>${paths.map((path, at) => html`${at > 0 && ', '}<code>${path}</code>`)}</dd></div>`}
${example !== undefined && example !== null && html`<div><dt>${phrases.example}</dt><dd><code>${JSON.stringify(example)}</code><br><span class="quiet">${phrases.exampleUse}</span></dd></div>`}</dl></section>
<h2 id="broken">${phrases.passports}</h2>
<p role="status">${phrases.breaks(formatCount(sample.length, language), formatCount(passports, language))}</p>
<ul class="links">${sample.map(({ id, name }) => html`<li><a href="${getPassportAddress(id)}#readiness">${name}</a> <code class="quiet">${id.slice(-12)}</code></li>`)}</ul>`
}

function renderFilters(
  { words, language }: ConsolePage,
  { query, severity, rule }: ReadinessChoice,
  { applications }: ReadinessView,
): Markup {
  const phrases = readinessWords[language]
  const passportPhrases = passportWords[language]
  const { list } = words
  const all = [['', list.all]] as const
  const kept = filterNames.filter((name) => !shownFilters.includes(name) && isGiven(query[name]))
  const select = (name: string, label: string, options: Markup) =>
    html`<p><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${options}</select></p>`
  return html`<form class="card" method="get" action="${readinessPath}" role="search" aria-label="${phrases.title}">
${kept.map((name) => html`<input type="hidden" name="${name}" value="${query[name] ?? ''}">`)}${rule !== null && html`<input type="hidden" name="rule" value="${rule}">`}
<div class="filters">
${select('application', list.application, renderApplicationOptions(applications, query.application?.toLowerCase() ?? '', all))}
${
  rule === null
  && select(
    'severity',
    phrases.severity,
    renderOptions(
      severities.toReversed().map((one) => [one, phrases.severityChoices[one]] as const),
      severity,
    ),
  )
}
${select('status', passportPhrases.state, renderOptions([...all, ...passportStatuses.map((one) => [one, passportPhrases.statuses[one]] as const)], query.status ?? ''))}
<p><label for="since">${passportPhrases.since}</label>
<input id="since" name="since" type="date" value="${query.since ?? ''}"></p>
<p><label for="until">${passportPhrases.until}</label>
<input id="until" name="until" type="date" value="${query.until ?? ''}"></p>
</div>
<button>${list.search}</button></form>`
}

/** The filters that the form of the page has; others stay as the address has them. */
const shownFilters: readonly string[] = ['application', 'status', 'since', 'until', 'order']
