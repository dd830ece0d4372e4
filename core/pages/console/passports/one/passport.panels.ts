import type { Finding, HistoryEntry } from '../../../../features/dpp/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatAddress } from '../../frame/lists.ts'
import { renderInstant, renderPager, renderTable } from '../../frame/lists.views.ts'
import { getReportsAddress } from '../../reports/reports.views.ts'
import { reportListWords } from '../../reports/words.ts'
import { getPassportAddress } from '../list/titles.ts'
import { passportWords, type PassportWords } from '../words/words.ts'
import { getActAddress } from './acts.list.ts'
import type { PassportPageView } from './passport.views.ts'

/** The most findings that the page shows, the most severe first. */
const maxShownFindings = 25

const severities = ['error', 'warning', 'info'] as const

/** The members of a passport that its form has. */
const formPathPattern =
  /^(fields|product|data|reference|certifiedPaths|certificateUri|allowedClaimEmail|allowedClaimPhoneNumber)(?=[.[]|$)/

/** Returns where a finding is put right: the field in the form, or the page of the act that does it; null elsewhere. */
function getRemedyAddress(
  { path, code }: Finding,
  { passport: { id }, sheet, allowedActs }: PassportPageView,
): string | null {
  if (code === 'not_published' && allowedActs.includes('publish')) return getActAddress(id, 'publish')
  const asksForCertificate = code === 'not_certified' || code === 'key_revoked' || code === 'anchor_lost'
  if (asksForCertificate && allowedActs.includes('certify')) return getActAddress(id, 'certify')
  if (code === 'suspended' && allowedActs.includes('restore')) return getActAddress(id, 'restore')
  // The product of a passport of a sheet is made of the sheet, which its form does not change.
  const isOfSheet = sheet !== null && /^(product|data)\b/.test(path)
  if (isOfSheet || !formPathPattern.test(path) || !allowedActs.includes('edit')) return null
  return formatAddress(getActAddress(id, 'edit'), { field: path })
}

/** Renders what the passport lacks, the most severe first, each with what to do and the way there. */
export function renderReadiness({ language }: ConsolePage, view: PassportPageView): Markup {
  const phrases = passportWords[language]
  const { ready, findings } = view.readiness
  const sorted = severities.flatMap((severity) => findings.filter((finding) => finding.severity === severity))
  const hidden = sorted.length - maxShownFindings
  return html`<h2 id="readiness">${phrases.readiness}</h2>
<section class="card" aria-label="${phrases.readiness}">
<p role="status"><span class="badge${ready ? ' good' : ' bad'}">${ready ? phrases.ready : phrases.notReady}</span> ${phrases.findings(findings.length)}</p>
${sorted.length > 0 && html`<ul class="links">${sorted.slice(0, maxShownFindings).map((finding) => renderFinding(finding, phrases, getRemedyAddress(finding, view)))}</ul>`}
${hidden > 0 && html`<p><a href="/v1/dpp/passports/${view.passport.id}/readiness">${phrases.moreFindings(hidden)}</a></p>`}
</section>`
}

const renderFinding = ({ severity, message, fix, rule }: Finding, phrases: PassportWords, remedy: string | null) =>
  html`<li><span class="badge${severity === 'error' && ' bad'}">${phrases.severities[severity]}</span> <span lang="en">${message} ${fix}</span>
<span class="quiet" lang="en">${rule}.</span>${remedy !== null && html` <a href="${remedy}">${phrases.remedy}</a>`}</li>`

const describeEntry = ({ kind, type, version, network }: HistoryEntry, phrases: PassportWords): string => {
  const { events, versionSigned, versionAnchored } = phrases.history
  if (kind === 'version') return versionSigned(version ?? 1)
  if (kind === 'anchor') return versionAnchored(version ?? 1, network ?? '')
  return events[type ?? 'update']
}

/** Renders what happened to the passport, the newest first. */
export function renderHistory({ language, words }: ConsolePage, view: PassportPageView): Markup {
  const phrases = passportWords[language]
  const { history, isFirstHistory, passport } = view
  const address = getPassportAddress(passport.id)
  const next = history.nextCursor === null ? null : formatAddress(address, { history: history.nextCursor })
  const columns = [
    { head: phrases.history.when, cell: ({ at }: HistoryEntry) => renderInstant(at) },
    {
      head: phrases.history.what,
      cell: (entry: HistoryEntry) =>
        html`${describeEntry(entry, phrases)}${entry.transactionHash !== undefined && html`<br><span class="quiet"><code>${entry.transactionHash}</code></span>`}`,
    },
  ]
  return html`<h2>${phrases.history.title}</h2>
${renderTable(phrases.history.title, columns, history.data)}
<p><a href="${getReportsAddress(passport.id)}">${reportListWords[language].ofPassport}</a></p>
${renderPager(address, next, { isFirst: isFirstHistory, words })}`
}
