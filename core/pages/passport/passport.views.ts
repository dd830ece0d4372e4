import type { Answer } from '../../kernel/answer.ts'
import { hasNoNumbers, type PassportPage } from '../../features/dpp/index.ts'
import { languages, words } from '../../languages/index.ts'
import { html, sanitizeAddress, type Markup } from '../site/html.ts'
import { renderPublisherLine, renderUnregisteredBanner, renderWithdrawalBanners } from '../notices/notices.views.ts'
import { isNotInOrder, renderProof, type PassportReader } from './passport.proof.ts'
import { formatDay, renderValue } from './passport.values.ts'
import { getReportAddress } from './report.views.ts'
import { renderGallery } from './product/gallery.views.ts'
import { findRepairAddress, renderFiles } from './product/links.views.ts'
import { renderSections } from './product/sections.views.ts'
import { renderMark } from './product/values.views.ts'
import { renderFooter, renderHelp, renderOwner, renderText } from '../site/brand.views.ts'
import { renderLooks } from '../site/looks.ts'
import { keepLanguage, renderPublicPage } from '../site/reader.ts'
import { getOfferAddress } from '../transfer/offer.views.ts'

/**
 * Renders links for machines: to the same page in the other languages, and to the address that stands for this one,
 * which names the language if the reader's address does: the same page in another language is another page.
 * Source: RFC 8288; HTML, link type `alternate`; Google, "Localized versions of your pages".
 * @param address the page, without its language
 */
export const renderLanguageLinks = (
  address: string,
  { language, isLanguageNamed, offered = languages }: PassportReader,
): Markup =>
  html`<link rel="canonical" href="${isLanguageNamed ? `${address}?lang=${language}` : address}">
<link rel="alternate" hreflang="x-default" href="${address}">
${offered.map(
  (each) => html`<link rel="alternate" hreflang="${each}" href="${address}?lang=${each}">
`,
)}`

interface PassportPageOptions {
  /** The address of the page, path and query without the language. */
  here: string
  /** Further elements of the head. */
  head?: Markup
  /** Whether what was given to claim with is no link. */
  isWrongLink?: boolean
  /** Whether the reader can get a card for the wallet of a phone. */
  hasCard?: boolean
}

/** Renders the page of a passport, in the looks of its application. */
export const renderPassportPage = (
  view: PassportPage,
  reader: PassportReader,
  { here, head, isWrongLink = false, hasCard = false }: PassportPageOptions,
): Answer =>
  renderPublicPage(
    reader,
    {
      title: words[reader.language].title(view.title),
      here,
      wide: true,
      hasOwnPictures: true,
      head: html`${head}${renderLooks(view.application, reader)}`,
      footer: renderFooter(view.application, reader),
    },
    renderPassport(view, reader, { isWrongLink, hasCard }),
  )

/**
 * Renders everything that the page of a passport shows: what its state is first, then the product as its brand shows it,
 * then what proves it and all that is known of it.
 */
function renderPassport(
  view: PassportPage,
  reader: PassportReader,
  { isWrongLink, hasCard }: Required<Pick<PassportPageOptions, 'isWrongLink' | 'hasCard'>>,
): Markup {
  const { application, title } = view
  const phrases = words[reader.language]
  const gallery = renderGallery(view, reader)
  const facts = html`${renderChain(view, reader)}${renderHistory(view, reader)}${renderFiles(view, reader)}`
  const proof = renderProof(view, reader, facts)
  const isWarning = isNotInOrder(view.proof.standing)
  const actions = renderActions(view, reader, hasCard)
  const trust =
    (actions !== false || !isWarning) && html`<div class="trust">\n${actions}\n${!isWarning && proof}\n</div>`
  // A certificate that is not in order comes before anything that speaks for the product.
  return html`${renderUnregisteredBanner(view.unregistered, reader.language)}${renderWithdrawalBanners(view, reader)}${isWarning && proof}
${renderOwner(application, application.title, reader)}
<div${(gallery !== false || trust !== false) && html` class="hero${gallery === false && ' plain'}"`}>
${gallery}
<div class="intro">
<h1>${title}</h1>
${renderState(view, reader)}
${renderStory(view, reader)}
<p>${renderPublisherLine(view.publisher, reader, { hasWarning: hasWarning(view) })}</p>
</div>
${trust}
</div>
<div class="parts">
${renderSections(view, reader)}
</div>
${mayClaim(view) && renderClaimForm(view, reader, isWrongLink)}
${renderHelp(application, reader)}
<p class="ways">${application.websiteUrl && html`<a href="${sanitizeAddress(application.websiteUrl)}" rel="noopener">${application.name}</a> `}${!isOwnersTurn(view) && renderRepairLink(view, reader, 'way')}<a href="${keepLanguage(getReportAddress(view.passport.id), reader)}">${phrases.report.head}</a></p>`
}

/** Whether something shown above the product speaks against it: what is proven of its publisher reassures nobody then. */
const hasWarning = ({ proof, withdrawals, unregistered }: PassportPage): boolean =>
  isNotInOrder(proof.standing) || withdrawals.length > 0 || !hasNoNumbers(unregistered)

/** Whether the page offers a claim: it invites nobody to own what the check of its certificate speaks against. */
const mayClaim = ({ claimable, proof }: PassportPage): boolean => claimable && !isNotInOrder(proof.standing)

/** Whether the reader owns the passport and can do what owners do. */
const isOwnersTurn = ({ isOwn, passport }: PassportPage): boolean => isOwn && passport.status === 'claimed'

/** Renders what a reader can do with the product first: claim it, or as its owner pass it on, get a card or have it repaired. */
function renderActions(view: PassportPage, reader: PassportReader, hasCard: boolean): Markup | false {
  const { passport, application } = view
  const { claim, owning, passingOn, wallets } = words[reader.language]
  if (mayClaim(view))
    return html`<p><a class="button" href="${keepLanguage(`/claim?passport=${passport.id}`, reader)}">${owning.action}</a> <a class="button plain" href="#claim">${claim.withLink}</a></p>`
  if (!isOwnersTurn(view)) return false
  return html`<p><a class="button plain" href="${keepLanguage(getOfferAddress(passport.id), reader)}">${passingOn.action}</a> ${hasCard && html`<a class="button plain" href="${keepLanguage(`/me?application=${application.slug}`, reader)}#card">${wallets.action}</a> `}${renderRepairLink(view, reader, 'button plain')}</p>`
}

/** Renders the way to the brand's repairs; nothing if the product names none. */
function renderRepairLink({ product }: PassportPage, { language }: PassportReader, className: string): Markup | false {
  const address = findRepairAddress(product)
  return (
    address !== null
    && html`<a class="${className}" href="${address}" rel="noopener nofollow">${words[language].product.repairAction}</a> `
  )
}

/** Renders the state of a passport where it is more than published. */
function renderState({ passport, isOwn }: PassportPage, reader: PassportReader): Markup | false {
  const { yours, seeYours } = words[reader.language].product
  if (isOwn)
    return html`<p><span class="badge good">${yours}</span> <a href="${keepLanguage('/me', reader)}">${seeYours}</a></p>`
  if (passport.status !== 'claimed' && passport.status !== 'archived') return false
  return html`<p><span class="badge${passport.status === 'archived' ? ' bad' : ' good'}">${words[reader.language].status[passport.status]}</span></p>`
}

function renderStory({ product }: PassportPage, { language }: PassportReader): Markup | false {
  const description = product.find(({ name }) => name === 'description')
  return (
    description !== undefined
    && html`<div class="story">${renderValue(description, language)}${renderMark(description, language)}</div>`
  )
}

/** Renders both ways to claim: with the link that came with the item, and without it. */
function renderClaimForm({ passport, application }: PassportPage, reader: PassportReader, wrong: boolean): Markup {
  const { language } = reader
  const { claim, owning } = words[language]
  return html`<section aria-labelledby="claim"><h2 id="claim">${claim.head}</h2>
<p>${claim.text}</p>
${renderText(application.theme, 'claim', reader)}
<form class="card" method="get" action="/p/${passport.id}/claim">
<h3>${claim.linkHead}</h3>
${wrong && html`<p class="bad" role="alert">${claim.wrong}</p>`}
<input type="hidden" name="lang" value="${language}">
<label for="link">${claim.field}</label>
<input id="link" name="link" autocomplete="off" required maxlength="5000">
<button>${claim.button}</button>
</form>
<div class="card"><h3>${claim.without.head}</h3>
<p>${claim.without.text(application.title)}</p>
<p><a class="button plain" href="${keepLanguage(`/claim?passport=${passport.id}`, reader)}">${owning.action}</a></p></div>
</section>`
}

/** Renders a long hexadecimal text as its two ends; the whole text appears under the pointer. */
const renderShortHex = (hex: string): Markup =>
  html`<code title="${hex}">${hex.length > 15 ? `${hex.slice(0, 8)}…${hex.slice(-6)}` : hex}</code>`

function renderChain({ passport, caip2 }: PassportPage, { language }: PassportReader): Markup {
  const phrases = words[language]
  const row = (label: string, value: Markup | string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  return html`<h3>${phrases.onChain}</h3>
<dl>
${row(phrases.passport, html`<code>${passport.id}</code>`)}
${row(phrases.token, renderShortHex(passport.tokenId))}
${row(phrases.network, html`${passport.network} <code>${caip2}</code>`)}
${
  passport.token
    ? [
        row(phrases.owner, renderShortHex(passport.token.owner)),
        row(phrases.contract, renderShortHex(passport.token.contract)),
      ]
    : row(phrases.minted, phrases.notYet)
}
</dl>`
}

function renderHistory({ ownership, passport }: PassportPage, { language }: PassportReader): Markup | false {
  const phrases = words[language]
  return (
    ownership.length > 0
    && html`<h3>${phrases.history}</h3>
<dl>${ownership.map(
      ({ type, from, to, transactionHash, at }) =>
        html`<div><dt>${phrases.events[type]}<br><time class="quiet" datetime="${at}">${formatDay(at, language)}</time></dt>
<dd>${from && html`${phrases.from} ${renderShortHex(from)} `}${phrases.to} ${renderShortHex(to)}<br><span class="quiet">${phrases.transaction} ${renderShortHex(transactionHash)}</span></dd></div>`,
    )}</dl>
<p><a href="/v1/dpp/passports/${passport.id}/ownership">${phrases.historyLink}</a></p>`
  )
}
