import type { OpenPassport } from '../features/dpp/index.ts'
import { languages } from '../kernel/languages.ts'
import { html, safeAddress, type Markup } from './html.ts'
import { publisherLine, unregisteredBanner, withdrawalBanners } from './notices/notices.views.ts'
import { proofCard, type Look } from './passport.proof.ts'
import { dayShown, valueList } from './passport.values.ts'
import { inLanguage } from './reader.ts'
import { words } from './words.ts'

/** For machines the ways to the same page in the other languages, and which address stands for all of them. Source: RFC 8288; HTML, link type `alternate`. */
export const languageLinks = (address: string): Markup => html`<link rel="canonical" href="${address}">
<link rel="alternate" hreflang="x-default" href="${address}">
${languages.map((each) => html`<link rel="alternate" hreflang="${each}" href="${address}?lang=${each}">
`)}`

/** Everything that a passport's page tells. */
export function passportContent(view: OpenPassport, look: Look, wrongLink = false): Markup {
  const { passport, application, title, image } = view
  const said = words[look.language]
  return html`${unregisteredBanner(view.unregistered, look.language)}${withdrawalBanners(view, look)}
<p class="quiet">${application.title}</p>
<h1>${title}</h1>
<p>${publisherLine(view.publisher, look)}</p>
${image && html`<img class="product" src="${safeAddress(image)}" alt="${title}">`}
<p><span class="badge${passport.status === 'archived' ? ' bad' : ' good'}">${said.status[passport.status as keyof typeof said.status]}</span></p>
${proofCard(view, look)}
${view.values.length > 0 && html`<h2>${said.product}</h2>
<section class="card" aria-label="${said.product}">${valueList(view.values, look.language)}</section>`}
${documents(view, look)}
${view.parents.length > 0 && html`<h2>${said.belongsTo}</h2>
<section class="card"><dl>${view.parents.map(({ kind, id, title: parent }) =>
    html`<div><dt>${said.parents[kind]}</dt><dd><a href="${inLanguage(`/p/${id}`, look)}">${parent}</a></dd></div>`)}</dl></section>`}
${view.claimable && claimForm(view, look, wrongLink)}
${onChain(view, look)}
${history(view, look)}
${application.websiteUrl && html`<p><a href="${safeAddress(application.websiteUrl)}" rel="noopener">${application.name}</a></p>`}`
}

function documents({ documents: list }: OpenPassport, { language }: Look): Markup | false {
  return list.length > 0 && html`<h2>${words[language].documents}</h2>
<ul class="card links">${list.map(({ href, title, type }) =>
    html`<li><a href="${href}" rel="noopener nofollow">${title}</a>${type && html` <span class="quiet">${type}</span>`}</li>`)}</ul>`
}

function claimForm({ passport }: OpenPassport, { language }: Look, wrong: boolean): Markup {
  const { head, told, field, button, wrong: wrongLink, without, byContact } = words[language].claim
  return html`<h2>${head}</h2>
<form class="card" method="get" action="/p/${passport.id}/claim">
<p>${told}</p>
${wrong && html`<p class="bad" role="alert">${wrongLink}</p>`}
<input type="hidden" name="lang" value="${language}">
<label for="link">${field}</label>
<input id="link" name="link" autocomplete="off" required maxlength="5000">
<button>${button}</button>
<p class="quiet">${without} <a href="/claim?passport=${passport.id}&amp;lang=${language}">${byContact}</a></p>
</form>`
}

/** Long hexadecimal text by its ends; whole where a pointer rests on it. */
const short = (hex: string): Markup => html`<code title="${hex}">${hex.length > 15 ? `${hex.slice(0, 8)}…${hex.slice(-6)}` : hex}</code>`

function onChain({ passport, caip2 }: OpenPassport, { language }: Look): Markup {
  const said = words[language]
  const row = (label: string, value: Markup | string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  return html`<h2>${said.onChain}</h2>
<section class="card" aria-label="${said.onChain}"><dl>
${row(said.passport, html`<code>${passport.id}</code>`)}
${row(said.token, short(passport.tokenId))}
${row(said.network, html`${passport.network} <code>${caip2}</code>`)}
${passport.token
    ? [row(said.owner, short(passport.token.owner)), row(said.contract, short(passport.token.contract))]
    : row(said.minted, said.notYet)}
</dl></section>`
}

function history({ ownership, passport }: OpenPassport, { language }: Look): Markup | false {
  const said = words[language]
  return ownership.length > 0 && html`<h2>${said.history}</h2>
<section class="card" aria-label="${said.history}"><dl>${ownership.map(({ type, from, to, transactionHash, at }) =>
    html`<div><dt>${said.events[type]}<br><time class="quiet" datetime="${at}">${dayShown(at, language)}</time></dt>
<dd>${from && html`${said.from} ${short(from)} `}${said.to} ${short(to)}<br><span class="quiet">${said.transaction} ${short(transactionHash)}</span></dd></div>`)}</dl>
<p><a href="/v1/dpp/passports/${passport.id}/ownership">${said.historyLink}</a></p></section>`
}
