import type { CertificationKey, RehearsedRevocation } from '../../../features/certification/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderField, renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderInstant, renderTable } from '../frame/lists.views.ts'
import { addCertificationRefusals, certificationWords, type CertificationWords } from './words.ts'

const path = '/console/certification'

export const getKeyAddress = (id: string): string => `${path}/keys/${id}`

/** Formats a key so that people recognize it: the beginning and the end of its Multikey. */
export const formatKey = ({ kid }: Pick<CertificationKey, 'kid'>): string => `${kid.slice(0, 8)}…${kid.slice(-5)}`

/** Renders the state of a key as a badge. */
export const renderState = ({ status }: CertificationKey, phrases: CertificationWords): Markup =>
  html`<span class="badge${status === 'active' && ' good'}${status === 'revoked' && ' bad'}">${phrases.states[status]}</span>`

/** Renders what each network knows of a key. */
export const renderNetworks = ({ networks }: CertificationKey, phrases: CertificationWords): Markup | string =>
  networks.length === 0
    ? phrases.noNetwork
    : html`${networks.map(({ network, status }, at) => html`${at > 0 && html`<br>`}${network}: ${phrases.registrations[status]}`)}`

/** Renders one key with all that is public about it. */
export function renderKey({ language }: ConsolePage, key: CertificationKey, mayUpdate: boolean): Markup {
  const phrases = certificationWords[language]
  const columns = [
    { head: phrases.network, cell: ({ network }: CertificationKey['networks'][number]) => network },
    {
      head: phrases.state,
      cell: ({ status }: CertificationKey['networks'][number]) => phrases.registrations[status],
    },
    {
      head: phrases.transaction,
      cell: ({ transactionHash }: CertificationKey['networks'][number]) =>
        transactionHash !== null && html`<code>${transactionHash}</code>`,
    },
  ]
  const { createdAt, rotatedAt, revokedAt } = key
  return html`<p><a href="${path}">${phrases.back}</a></p>
<h1>${phrases.keyTitle(formatKey(key))}</h1>
<p role="status">${renderState(key, phrases)} ${phrases.stateUses[key.status]}</p>
<section class="card" aria-label="${phrases.key}"><dl>
<div><dt>${phrases.did}</dt><dd><code>${key.did}</code></dd></div>
<div><dt>${phrases.multikey}</dt><dd><code>${key.publicKeyMultibase}</code></dd></div>
<div><dt>${phrases.jwk}</dt><dd><code>${JSON.stringify(key.publicKeyJwk)}</code></dd></div>
<div><dt>${phrases.made}</dt><dd>${renderInstant(createdAt)}</dd></div>
${rotatedAt !== null && html`<div><dt>${phrases.replaced}</dt><dd>${renderInstant(rotatedAt)}</dd></div>`}
${revokedAt !== null && html`<div><dt>${phrases.revoked}</dt><dd>${renderInstant(revokedAt)}</dd></div>`}</dl></section>
<h2>${phrases.networks}</h2>
${key.networks.length === 0 ? html`<p>${phrases.noNetwork}</p>` : renderTable(phrases.networks, columns, key.networks)}
${mayUpdate && html`<p class="actions"><a href="${getKeyAddress(key.id)}/revoke">${phrases.revoke}</a></p>`}`
}

/** What the form about a revocation says. */
export interface RevocationForm {
  reason: string
  since: string
}

interface RevocationView {
  key: CertificationKey
  form: RevocationForm
  /** What would happen; null until the form was filled in. */
  rehearsed: RehearsedRevocation | null
  hasDomain: boolean
  problem: ProblemError | undefined
}

/** Renders the form before a key is revoked, with what would happen once that was asked. */
export function renderRevocation(page: ConsolePage, view: RevocationView): Markup {
  const { language, words } = page
  const phrases = certificationWords[language]
  const { key, form, rehearsed } = view
  const labels = { reason: phrases.reason, compromisedAt: phrases.since }
  const title = html`<h1>${phrases.revokeTitle(formatKey(key))}</h1>
${renderRefusal(view.problem, addCertificationRefusals(page), labels)}`
  const action = `${getKeyAddress(key.id)}/revoke`
  const cancel = html`<a href="${getKeyAddress(key.id)}">${words.list.cancel}</a>`
  if (!rehearsed)
    return html`${title}
<p>${phrases.revokeText}</p>
<form class="card" method="post" action="${action}">
${renderField({ name: 'reason', label: phrases.reason, value: form.reason, hint: phrases.reasonUse, isRequired: true, maxLength: 500 })}
${renderField({ name: 'since', label: `${phrases.since} (${words.list.optional})`, value: form.since, hint: phrases.sinceUse, maxLength: 40 })}
<div class="row">${cancel}<button class="small" name="act" value="look">${phrases.look}</button></div></form>`
  return html`${title}
<section class="card" aria-label="${words.list.willHappen}"><h2>${words.list.willHappen}</h2>
<ul>${listConsequences(rehearsed, view.hasDomain, language).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${
  rehearsed.samples.length > 0
  && html`<p>${phrases.samples}: ${rehearsed.samples.map(({ id, name }, at) => html`${at > 0 && ', '}<a href="/console/passports/${id}">${name}</a>`)}</p>`
}
<form class="row" method="post" action="${action}"><input type="hidden" name="reason" value="${form.reason}">
<input type="hidden" name="since" value="${form.since}">
${cancel}<button class="small danger" name="act" value="revoke">${phrases.revoke}</button></form></section>`
}

function listConsequences(rehearsed: RehearsedRevocation, hasDomain: boolean, language: ConsoleLanguage): string[] {
  const phrases = certificationWords[language]
  const { credentials, failing, alreadyFailing, passports, queuedJobs, status } = rehearsed
  const format = (count: number) => formatCount(count, language)
  const begins = failing - alreadyFailing
  return [
    phrases.revokeCertificates(phrases.certificateCount(format(credentials))),
    begins > 0 ? phrases.revokeFails(format(begins)) : phrases.revokeFailsNone,
    ...(credentials > failing ? [phrases.revokeStay(format(credentials - failing))] : []),
    ...(alreadyFailing > 0 ? [phrases.revokeAlready(format(alreadyFailing))] : []),
    ...(passports > 0 ? [phrases.revokePassports(phrases.passportCount(format(passports)))] : []),
    ...(status === 'active' ? [phrases.revokeActive] : []),
    ...(status === 'active' && hasDomain ? [phrases.revokeDomain] : []),
    ...(status === 'pending' ? [phrases.revokePending] : []),
    ...(queuedJobs > 0 ? [phrases.revokeSent(queuedJobs)] : []),
    phrases.revokeFinal,
  ]
}
