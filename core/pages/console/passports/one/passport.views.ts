import type {
  Anchor,
  HistoryEntry,
  LabelledValue,
  Ownership,
  PassportAct,
  PassportState,
  Readiness,
  SheetRow,
} from '../../../../features/dpp/index.ts'
import type { PageResult } from '../../../../kernel/page.ts'
import { isObject } from '../../../../kernel/json/values.ts'
import { renderValueList } from '../../../passport/passport.values.ts'
import { html, type Markup } from '../../../site/html.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { formatAddress } from '../../frame/lists.ts'
import { renderInstant } from '../../frame/lists.views.ts'
import { renderBadges } from '../list/list.views.ts'
import { getPassportAddress, passportsPath, type PassportTitle } from '../list/titles.ts'
import { passportWords } from '../words/words.ts'
import { getActAddress } from './acts.list.ts'
import { renderHistory, renderReadiness } from './passport.panels.ts'

export interface PassportPageView extends PassportState {
  title: PassportTitle
  /** Null for a passport that describes its product itself. */
  sheet: SheetRow | null
  values: readonly LabelledValue[]
  readiness: Readiness
  history: PageResult<HistoryEntry>
  isFirstHistory: boolean
  ownership: readonly Ownership[]
  anchor: Anchor | null
  /** What this member can do with the passport now. */
  allowedActs: readonly PassportAct[]
  mayReadAccounts: boolean
}

/** Renders everything about one passport. */
export function renderPassportPage(page: ConsolePage, view: PassportPageView): Markup {
  const { passport, title, withdrawals } = view
  const phrases = passportWords[page.language]
  return html`<p><a href="${passportsPath}">${phrases.all}</a></p>
<h1>${title.name}</h1>
<p>${title.mark !== null && html`<strong>${title.mark}</strong> `}${renderBadges(passport, phrases)}${withdrawals.map(({ level, purpose }) => html` <span class="badge bad">${phrases.withdrawals[purpose][level]}</span>`)}</p>
${renderActs(page, view)}
${renderCode(page, view)}
${renderValues(page, view)}
${renderCertificate(page, view)}
${renderOwners(page, view)}
${renderReadiness(page, view)}
${renderHistory(page, view)}
${renderAbout(page, view)}`
}

const dangerousActs: readonly PassportAct[] = ['archive', 'delete', 'revoke']

function renderActs({ language }: ConsolePage, { allowedActs, passport }: PassportPageView): Markup | false {
  const phrases = passportWords[language]
  return (
    allowedActs.length > 0
    && html`<nav class="buttons" aria-label="${phrases.whatToDo}">${allowedActs.map(
      (act) =>
        html`<a class="button small plain${dangerousActs.includes(act) && ' danger'}" href="${getActAddress(passport.id, act)}">${phrases.oneActs[act]}</a>`,
    )}</nav>`
  )
}

/** The most bytes of the values that the page shows; the answer of the API has them all. */
const maxValueBytes = 20_000

/** Returns the first values that fit on the page. */
function takeFittingValues(values: readonly LabelledValue[]): LabelledValue[] {
  let bytes = 0
  return values.filter(({ value }) => (bytes += JSON.stringify(value)?.length ?? 0) <= maxValueBytes)
}

const measureMembers = new Set(['value', 'unit'])

/** Writes a measure, which has a value and a unit, on one line: `12.5 KGM`. */
function joinUnits(one: LabelledValue): LabelledValue {
  const { members, value } = one
  if (!members) return one
  const isMeasure =
    isObject(value)
    && typeof value['value'] === 'number'
    && typeof value['unit'] === 'string'
    && Object.keys(value).every((name) => measureMembers.has(name))
  if (!isMeasure) return { ...one, members: members.map(joinUnits) }
  const { members: _, ...plain } = one
  return { ...plain, type: 'string', value: `${value['value']} ${value['unit']}` }
}

function renderValues({ language }: ConsolePage, { values, passport }: PassportPageView): Markup {
  const phrases = passportWords[language]
  const shown = takeFittingValues(values).map(joinUnits)
  return html`<h2>${phrases.values}</h2>
<section class="card" aria-label="${phrases.values}">${shown.length > 0 ? renderValueList(shown, language) : html`<p>${phrases.noValues}</p>`}
${shown.length < values.length && html`<p><a href="/v1/dpp/passports/${passport.id}">${phrases.allValues}</a></p>`}</section>`
}

const renderRow = (name: string, value: Markup | string | null | undefined | false): Markup | false =>
  value !== null && value !== undefined && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`

const renderHex = (text: string | null | undefined): Markup | null =>
  text === null || text === undefined ? null : html`<code>${text}</code>`

function renderCertificate({ language }: ConsolePage, { passport, anchor }: PassportPageView): Markup {
  const phrases = passportWords[language]
  const { id, certificationStatus, certifiedAt, contentHash, ipfsCid, certificateUri, certifyJob, certifiedPaths } =
    passport
  const isServed = certificationStatus === 'certified' && passport.status !== 'archived'
  return html`<h2>${phrases.certificate}</h2>
<section class="card" aria-label="${phrases.certificate}"><dl>
${renderRow(phrases.state, phrases.certificationStates[certificationStatus])}
${renderRow(phrases.certifiedAt, certifiedAt !== null && renderInstant(certifiedAt))}
${renderRow(phrases.certifiedPaths, certifiedPaths.length > 0 ? certifiedPaths.join(', ') : null)}
${renderRow(phrases.contentHash, renderHex(contentHash))}
${renderRow(phrases.certificateUri, certificateUri !== null && html`<a href="${certificateUri}" rel="noopener nofollow">${certificateUri}</a>`)}
${renderRow('IPFS', renderHex(ipfsCid))}
${renderRow(phrases.lastJob, certifyJob && html`<a href="${passportsPath}/jobs/${certifyJob.id}">${phrases.jobStates[certifyJob.status]}</a>${certifyJob.error !== undefined && html` <span class="bad" lang="en">${certifyJob.error}</span>`}`)}
${
  anchor
  && html`${renderRow(phrases.anchoredOn, html`${anchor.network} <code>${anchor.caip2}</code>, ${phrases.block} ${anchor.blockNumber}, ${renderInstant(anchor.anchoredAt)}`)}
${renderRow(phrases.transaction, renderHex(anchor.transactionHash))}
${renderRow(phrases.root, renderHex(anchor.root))}`
}
</dl>
${isServed && html`<p><a href="/v1/dpp/passports/${id}/vc.jsonld">${phrases.credential}</a>${anchor && html` · <a href="/v1/dpp/passports/${id}/anchor">${phrases.receipt}</a>`}</p>`}</section>`
}

/** Renders the QR code of a passport that is public, with its page. */
function renderCode({ language }: ConsolePage, { passport: { id, status } }: PassportPageView): Markup | false {
  const phrases = passportWords[language]
  if (status === 'draft') return false
  const code = `/v1/dpp/passports/${id}/qr-code`
  return html`<h2>${phrases.publicPage}</h2>
<section class="card" aria-label="${phrases.publicPage}"><p><a href="/p/${id}">${phrases.openPage}</a></p>
${
  status !== 'archived'
  && html`<p><img src="${code}?format=svg&amp;size=180" width="180" height="180" alt="${phrases.codeAlt}"></p>
<p>${phrases.download} <a href="${code}?size=1024">PNG</a> · <a href="${code}?format=svg">SVG</a></p>`
}</section>`
}

function renderOwners({ language }: ConsolePage, view: PassportPageView): Markup {
  const { passport, ownership, mayReadAccounts } = view
  const phrases = passportWords[language]
  const { allowedClaimEmail, allowedClaimPhoneNumber, mintedTo, token } = passport
  const account = mintedTo?.id
  return html`<h2>${phrases.owners}</h2>
<section class="card" aria-label="${phrases.owners}"><dl>
${renderRow(phrases.mayClaim, [allowedClaimEmail, allowedClaimPhoneNumber].filter(Boolean).join(', ') || phrases.nobodyNamed)}
${renderRow(phrases.claimedBy, mintedTo && (account !== undefined && mayReadAccounts ? html`<a href="/console/accounts/${account}"><code>${mintedTo.address}</code></a>` : renderHex(mintedTo.address)))}
${renderRow(phrases.tokenOwner, renderHex(token?.owner))}
${renderRow(phrases.contract, renderHex(token?.contract))}
${ownership.map(({ type, from, to, transactionHash, at }) =>
  renderRow(
    phrases.transfers[type],
    html`${renderInstant(at)}<br>${from !== null && html`<code>${from}</code> → `}<code>${to}</code><br><span class="quiet">${phrases.transaction} <code>${transactionHash}</code></span>`,
  ),
)}
</dl></section>`
}

function renderAbout({ language, words }: ConsolePage, { passport, sheet }: PassportPageView): Markup {
  const phrases = passportWords[language]
  const { id, application, network, tokenId, source, reference, model, batch, createdAt, updatedAt } = passport
  const renderParent = (parent: typeof model) =>
    parent && html`<a href="${getPassportAddress(parent.id)}">${String(parent.product['name'])}</a>`
  return html`<h2>${phrases.about}</h2>
<section class="card" aria-label="${phrases.about}"><dl>
${renderRow(words.list.application, application.name)}
${renderRow(phrases.sheet, sheet && html`<a href="${formatAddress(passportsPath, { sheet: sheet.id })}">${sheet.name}</a>`)}
${renderRow(phrases.model, renderParent(model))}
${renderRow(phrases.batch, renderParent(batch))}
${renderRow(phrases.reference, reference)}
${renderRow(phrases.source, phrases.sources[source])}
${renderRow(words.list.network, network)}
${renderRow(phrases.token, renderHex(tokenId))}
${renderRow(phrases.passport, renderHex(id))}
${renderRow(phrases.created, renderInstant(createdAt))}
${renderRow(phrases.changedHead, renderInstant(updatedAt))}
</dl></section>`
}
