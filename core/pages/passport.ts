import { passportView, recordScan, type LabelledValue, type PassportView } from '../features/dpp/index.ts'
import { organizationOf } from '../kernel/caller.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { notFound } from '../kernel/problem.ts'
import { html, safeAddress, type Markup } from './html.ts'
import { page } from './layout.ts'

/** What the item is, what is on chain, who had it. Readable without signing in; nothing personal is on it. */
export const passportPage: Operation = operation({
  id: 'passport_page_v1', method: 'GET', path: '/p/:id', summary: 'The public page of a passport', tag: 'Pages', access: 'public', page: true,
  returns: { 200: { type: 'text/html', description: 'The page.' } },
}).readBy(async ({ caller, params, request, work }) => {
  const view = await passportView(work.trx, params.id)
  if (!view) throw notFound()
  if (organizationOf(caller) !== view.organization) await recordScan(work.context, view.passport.id, request.address)
  return page({ title: `${view.title}: product passport` }, content(view))
})

const statusWords = { draft: 'Draft', published: 'Published', claimed: 'Claimed by its owner', archived: 'Archived: no longer maintained' }

function content(view: PassportView): Markup {
  const { passport, application } = view
  return html`<p class="quiet">${application.title}</p>
<h1>${view.title}</h1>
${view.image && html`<img class="product" src="${safeAddress(view.image)}" alt="${view.title}">`}
<p><span class="badge${passport.status === 'archived' ? ' bad' : ' good'}">${statusWords[passport.status]}</span></p>
${view.values.length > 0 && html`<section class="card" aria-label="Product"><dl>${view.values.map(valueRow)}</dl></section>`}
${view.parents.length > 0 && html`<section class="card" aria-label="Belongs to"><dl>${view.parents.map(parentRow)}</dl></section>`}
${view.claimable && html`<p class="quiet">This item has no owner yet. Its owner claims it with the link or code that came with it.</p>`}
<h2>Proof</h2>
<section class="card"><dl>
<div><dt>Passport</dt><dd><code>${passport.id}</code></dd></div>
<div><dt>Token</dt><dd><code>${passport.tokenId}</code></dd></div>
<div><dt>Network</dt><dd>${passport.network}</dd></div>
${certificate(passport)}
${passport.token
    ? html`<div><dt>Owner</dt><dd><code>${passport.token.owner}</code></dd></div><div><dt>Contract</dt><dd><code>${passport.token.contract}</code></dd></div>`
    : html`<div><dt>Minted</dt><dd>Not yet</dd></div>`}
</dl></section>
${view.ownership.length > 0 && html`<h2>History</h2><section class="card"><dl>${view.ownership.map((step) => html`<div><dt>${eventWords[step.type]}<br><span class="quiet">${step.at.slice(0, 10)}</span></dt>
<dd>to <code>${step.to}</code><br><span class="quiet">in <code>${step.transactionHash}</code></span></dd></div>`)}</dl></section>`}
${application.websiteUrl && html`<p><a href="${safeAddress(application.websiteUrl)}" rel="noopener">${application.name}</a></p>`}`
}

/** What anybody can check without us; of an archived passport no credential is served. */
function certificate({ id, status, certifiedAt }: PassportView['passport']): Markup | false {
  if (certifiedAt === null || status === 'archived') return false
  const path = `/v1/dpp/passports/${id}`
  return html`<div><dt>Certificate</dt><dd>Signed and anchored, ${certifiedAt.slice(0, 10)}<br>
<a href="${path}/vc.jsonld">Credential</a> and <a href="${path}/anchor">its receipt on chain</a></dd></div>`
}

const eventWords = { mint: 'Minted', claim: 'Claimed', transfer: 'Handed over' }

const parentRow = ({ label, id, title }: PassportView['parents'][number]): Markup =>
  html`<div><dt>${label}</dt><dd><a href="/p/${id}">${title}</a></dd></div>`

const valueRow = (labelled: LabelledValue): Markup =>
  html`<div><dt>${labelled.label}</dt><dd>${shown(labelled)}</dd></div>`

function shown({ type, value, members }: Omit<LabelledValue, 'label'>): Markup | string {
  if (members) return html`<dl>${members.map(valueRow)}</dl>`
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (type === 'url' && typeof value === 'string') return html`<a href="${safeAddress(value)}" rel="noopener nofollow">${value}</a>`
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object') ? value.join(', ') : html`<pre>${JSON.stringify(value, null, 2)}</pre>`
  if (typeof value === 'object' && value !== null) {
    return html`<dl>${Object.entries(value).map(([name, member]) => valueRow({ label: name, type: 'json', value: member }))}</dl>`
  }
  return String(value)
}
