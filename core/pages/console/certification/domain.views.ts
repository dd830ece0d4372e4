import type { DidWebConfig } from '../../../features/certification/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderField, renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderInstant } from '../frame/lists.views.ts'
import { addCertificationRefusals, certificationWords, type CertificationWords } from './words.ts'
import { renderCopyButton } from '../frame/copy.views.ts'

export const domainPath = '/console/certification/domain'

/** Renders what the last look at a published document found. */
export const renderCheck = (check: DidWebConfig['lastCheck'], phrases: CertificationWords): Markup | string => {
  if (check === null) return phrases.neverChecked
  const { status, reason, checkedAt } = check
  return status === 'ok'
    ? html`<span class="good">${phrases.checkOk}</span>, ${renderInstant(checkedAt)}`
    : html`<span class="bad">${phrases.reasons[reason ?? ''] ?? reason}</span>, ${renderInstant(checkedAt)}`
}

/** Says which domain counts, and what is wrong with it. */
export function renderDomainState(config: DidWebConfig, phrases: CertificationWords): Markup {
  const { domain, status, active, missingSince, rotationDueAt } = config
  if (domain === null) return html`<p>${phrases.domainNone}</p>`
  return html`<p>${status === 'active' ? phrases.domainActive(domain) : phrases.domainPending(domain)}${
    status !== 'active' && active && html` ${phrases.domainOther(active.domain)}`
  }</p>
${missingSince !== null && html`<p class="bad">${phrases.domainMissing} ${renderInstant(missingSince)}.</p>`}
${rotationDueAt !== null && html`<p class="warn">${phrases.domainDue} ${renderInstant(rotationDueAt)}.</p>`}`
}

interface DomainView {
  config: DidWebConfig
  /** What was written into the form that was refused. */
  written: string | undefined
  mayUpdate: boolean
  problem: ProblemError | undefined
}

/** Renders the domain that is signed under, the document to publish there, and its check. */
export function renderDomainPage(page: ConsolePage, { config, written, mayUpdate, problem }: DomainView): Markup {
  const phrases = certificationWords[page.language]
  const { domain, didDocument, lastCheck } = config
  return html`<p><a href="/console/certification">${phrases.back}</a></p>
<h1>${phrases.domainTitle}</h1>
${renderRefusal(problem, addCertificationRefusals(page), { domain: phrases.domainField })}
${renderDomainState(config, phrases)}
<p>${phrases.did}: <code>${config.did}</code></p>
${domain !== null && didDocument !== null && renderDocument(domain, JSON.stringify(didDocument, null, 2), page)}
${
  domain !== null
  && html`<section class="card" aria-label="${phrases.lastCheck}"><p role="status">${phrases.lastCheck}: ${renderCheck(lastCheck, phrases)}</p>
${mayUpdate && html`<form method="post" action="${domainPath}/check"><button class="small">${phrases.check}</button></form>`}</section>`
}
${
  mayUpdate
  && html`<form class="card" method="post" action="${domainPath}">
${renderField({ name: 'domain', label: phrases.domainField, value: written ?? domain ?? '', hint: phrases.domainUse, isRequired: true, maxLength: 253 })}
<button>${phrases.domainSet}</button></form>
${domain !== null && html`<p><a href="${domainPath}/remove">${phrases.domainRemove}</a></p>`}`
}`
}

function renderDocument(domain: string, document: string, { language, words }: ConsolePage): Markup {
  const phrases = certificationWords[language]
  return html`<h2>${phrases.document}</h2>
<p>${phrases.documentText} <code>https://${domain}/.well-known/did.json</code></p>
<pre id="did" tabindex="0" aria-label="${phrases.document}" role="region">${document}</pre>
${renderCopyButton(words, 'did')}`
}
