import type {
  CertificationKey,
  Cryptosuite,
  DidWebConfig,
  ListedStatusList,
} from '../../../features/certification/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderDay, renderInstant, renderListHead, renderTable, renderWhatNext } from '../frame/lists.views.ts'
import { domainPath, renderCheck, renderDomainState } from './domain.views.ts'
import { formatKey, getKeyAddress, renderNetworks, renderState } from './keys.views.ts'
import { addCertificationRefusals, certificationWords, type CertificationWords } from './words.ts'

export const certificationPath = '/console/certification'

/** The maximum number of keys and of status lists that the page shows, the newest ones. */
export const maxShown = { keys: 40, lists: 20 } as const

/** What the page shows, and what the member who looks at it may do. */
export interface CertificationView {
  keys: readonly CertificationKey[]
  config: DidWebConfig
  suites: readonly Cryptosuite[]
  lists: readonly ListedStatusList[]
  mayUpdate: boolean
  isSaved: boolean
  problem: ProblemError | undefined
}

/** Renders everything about the certification of an organization: keys, domain, status lists, forms. */
export function renderCertification(page: ConsolePage, view: CertificationView): Markup {
  const phrases = certificationWords[page.language]
  const active = view.keys.find(({ status }) => status === 'active')
  return html`<h1>${phrases.title}</h1>
${view.isSaved && html`<p class="good" role="status">${phrases.saved}</p>`}
${renderRefusal(view.problem, addCertificationRefusals(page), phrases.labels)}
<p>${phrases.intro}</p>
${active && renderActiveKey(active, view, phrases)}
${renderKeys(page, view)}
${renderDomain(view.config, phrases)}
${renderLists(page, view.lists)}
${renderForms(view, phrases)}
<section aria-labelledby="certificates"><h2 id="certificates">${phrases.certificates}</h2>
<p>${phrases.certificatesText} <a href="/console/passports">${phrases.toPassports}</a></p></section>`
}

const renderActiveKey = (
  key: CertificationKey,
  { mayUpdate }: CertificationView,
  phrases: CertificationWords,
): Markup =>
  html`<section class="card" aria-labelledby="active"><h2 id="active">${phrases.active}</h2>
<dl><div><dt>${phrases.key}</dt><dd><a href="${getKeyAddress(key.id)}">${formatKey(key)}</a></dd></div>
<div><dt>${phrases.did}</dt><dd><code>${key.did}</code></dd></div>
<div><dt>${phrases.networks}</dt><dd>${renderNetworks(key, phrases)}</dd></div></dl>
<p><a href="/v1/dpp/issuers/${key.did}/keys">${phrases.history}</a></p>
${mayUpdate && html`<p><a class="button small" href="${certificationPath}/rotate">${phrases.rotate}</a></p>`}</section>`

function renderKeys({ language, words }: ConsolePage, { keys, mayUpdate }: CertificationView): Markup {
  const phrases = certificationWords[language]
  const columns = [
    {
      head: phrases.key,
      cell: (key: CertificationKey) => html`<a href="${getKeyAddress(key.id)}">${formatKey(key)}</a>`,
    },
    { head: phrases.state, cell: (key: CertificationKey) => renderState(key, phrases) },
    { head: phrases.networks, cell: (key: CertificationKey) => renderNetworks(key, phrases) },
    { head: phrases.made, cell: ({ createdAt }: CertificationKey) => renderDay(createdAt) },
    {
      head: phrases.action,
      cell: (key: CertificationKey) =>
        mayUpdate
        && key.status !== 'revoked'
        && html`<a href="${getKeyAddress(key.id)}/revoke" aria-label="${phrases.revokeOf(formatKey(key))}">${phrases.revoke}</a>`,
    },
  ]
  return html`<h2>${phrases.keys}</h2>
${renderListHead(phrases.count(keys.length), `${certificationPath}/keys.csv`, words)}
${renderTable(phrases.keys, columns, keys.slice(0, maxShown.keys))}`
}

const renderDomain = (config: DidWebConfig, phrases: CertificationWords): Markup =>
  html`<section aria-labelledby="domain"><h2 id="domain">${phrases.domain}</h2>
${renderDomainState(config, phrases)}
${config.domain !== null && html`<p>${phrases.lastCheck}: ${renderCheck(config.lastCheck, phrases)}</p>`}
<p><a href="${domainPath}">${phrases.domainManage}</a></p></section>`

function renderLists({ language, words }: ConsolePage, lists: readonly ListedStatusList[]): Markup {
  const phrases = certificationWords[language]
  const columns = [
    {
      head: phrases.list,
      cell: ({ id }: ListedStatusList) => html`<a href="/v1/dpp/status-lists/${id}"><code>${id}</code></a>`,
    },
    { head: phrases.purpose, cell: ({ purpose }: ListedStatusList) => phrases.purposes[purpose] ?? purpose },
    { head: phrases.issuer, cell: ({ issuer }: ListedStatusList) => issuer !== null && html`<code>${issuer}</code>` },
    { head: phrases.changed, cell: ({ updatedAt }: ListedStatusList) => renderInstant(updatedAt) },
  ]
  if (lists.length === 0)
    return html`<h2>${phrases.lists}</h2>
${renderWhatNext(words, phrases.listsEmptyHead, html`${phrases.listsEmptyText} <a href="/console/passports">${phrases.listsEmptyLink}</a>.`)}`
  return html`<h2>${phrases.lists}</h2>
<p>${phrases.listsText}</p>
${renderTable(phrases.lists, columns, lists)}
${lists.length === maxShown.lists && html`<p class="quiet">${phrases.newestLists(maxShown.lists)}</p>`}`
}

function renderForms({ suites, mayUpdate }: CertificationView, phrases: CertificationWords): Markup {
  const hasRdfc = suites.includes('eddsa-rdfc-2022')
  return html`<section aria-labelledby="forms"><h2 id="forms">${phrases.forms}</h2>
<p>${phrases.formsText}</p>
<ul><li>${phrases.formJwt}</li><li>${phrases.formJcs}</li>${!mayUpdate && hasRdfc && html`<li>${phrases.formRdfc}</li>`}</ul>
${
  mayUpdate
  && html`<form class="card" method="post" action="${certificationPath}/forms"><input type="hidden" name="jcs" value="yes">
<label class="option"><input type="checkbox" name="rdfc" value="yes"${hasRdfc && html` checked`}>
<span>${phrases.formRdfc}</span></label>
<button class="small">${phrases.formsSave}</button></form>`
}</section>`
}
