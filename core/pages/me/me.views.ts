import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { createForLanguages, words, type Language } from '../../languages/index.ts'
import type { Application } from '../../features/applications/index.ts'
import type { ListedOffer, OwnedPassport } from '../../features/dpp/index.ts'
import type { Account, LotDates, NextTier, OwnWallet, Statement, StatementEntry } from '../../features/loyalty/index.ts'
import { html, type Markup } from '../site/html.ts'
import { renderFooter, renderHelp, renderOwner } from '../site/brand.views.ts'
import { renderBanner, renderLooks } from '../site/looks.ts'
import { renderServedPicture } from '../site/pictures.ts'
import { keepLanguage, renderLanguageField, renderPublicPage, type PageReader } from '../site/reader.ts'
import {
  renderCodeForms,
  renderContactForms,
  renderHiddenField,
  renderRefusal,
  type Contact,
  type SignInForms,
} from '../site/sign-in.views.ts'
import { getProblemStatus } from '../site/layout.ts'
import { getOfferAddress } from '../transfer/offer.views.ts'
import { renderWallets } from './wallets.views.ts'

/** The page of an application, and how it is shown. */
export interface MePage {
  application: Pick<Application, 'id' | 'slug' | 'name' | 'theme' | 'organization'>
  reader: PageReader
}

/** An account of the buyer, one a network, with its newest entries and what comes next. */
export interface OwnAccount {
  account: Account
  statement: Statement
  dates: LotDates
  nextTier: NextTier | null
}

export interface Belongings {
  /** The buyer's e-mail address or phone number. */
  contact: string | null
  accounts: readonly OwnAccount[]
  passports: readonly OwnedPassport[]
  hasMorePassports: boolean
  /** The offers that the buyer has made and got. */
  offers: readonly ListedOffer[]
  /** Whether the buyer has just made one. */
  isOffered: boolean
  wallets: readonly OwnWallet[]
}

/** Returns the address of the page, without its language. */
export const getPageAddress = ({ application }: MePage): string => `/me?application=${application.slug}`

const getTitle = ({ theme, name }: MePage['application']): string => theme.title ?? name

const numbers = createForLanguages((language) => new Intl.NumberFormat(words[language].region))
const days = createForLanguages(
  (language) => new Intl.DateTimeFormat(words[language].region, { dateStyle: 'long', timeZone: 'UTC' }),
)

const formatPoints = (points: string, language: Language): string => numbers[language].format(BigInt(points))
const formatChange = (points: string, language: Language): string =>
  `${points.startsWith('-') ? '−' : '+'}${formatPoints(points.replace('-', ''), language)}`
const formatDay = (instant: string, language: Language): string => days[language].format(new Date(instant))
const renderDay = (instant: string, language: Language): Markup =>
  html`<time datetime="${instant}">${formatDay(instant, language)}</time>`

function renderApplicationPage(page: MePage, problem: ProblemError | undefined, content: Markup): Answer {
  const { application, reader } = page
  const title = words[reader.language].me.title(getTitle(application))
  return renderPublicPage(
    reader,
    {
      title,
      here: getPageAddress(page),
      head: html`${renderLooks(application, reader)}`,
      footer: renderFooter(application, reader),
      ...getProblemStatus(problem),
    },
    html`${renderOwner(application, getTitle(application), reader)}<h1>${title}</h1>
${content}
${renderHelp(application, reader)}
${renderBanner(application)}`,
  )
}

const describeForms = (page: MePage): SignInForms => ({
  reader: page.reader,
  codePath: '/me/code',
  signInPath: '/me/sign-in',
  hiddenFields: html`${renderHiddenField('application', page.application.slug)}${renderLanguageField(page.reader)}`,
  provider: {
    application: page.application.id,
    brand: getTitle(page.application),
    redirect: keepLanguage(getPageAddress(page), page.reader),
  },
})

/** Renders the page without an application: nobody knows whose customer the reader is. */
export function renderUnnamed(reader: PageReader): Answer {
  const { head, text } = words[reader.language].me.unnamed
  return renderPublicPage(
    reader,
    { title: head, here: '/me', status: 400 },
    html`<h1>${head}</h1>
<p>${text}</p>`,
  )
}

/** Renders the first step of the sign-in. A wrong entry stays in its field for correction. */
export const renderSignIn = (
  page: MePage,
  methods: readonly string[],
  refused?: { contact: Contact; problem: ProblemError },
): Answer =>
  renderApplicationPage(
    page,
    refused?.problem,
    html`<p>${words[page.reader.language].me.intro}</p>
${renderRefusal(refused?.problem, page.reader)}
${renderContactForms(describeForms(page), methods, refused?.contact)}`,
  )

/** Renders the second step of the sign-in: the six digits. */
export const renderSignInCode = (page: MePage, contact: Contact, problem?: ProblemError): Answer =>
  renderApplicationPage(page, problem, renderCodeForms(describeForms(page), contact, problem))

/** Renders what a buyer has. */
export function renderMe(page: MePage, belongings: Belongings): Answer {
  const { contact, accounts, passports, hasMorePassports, offers, isOffered, wallets } = belongings
  const { reader } = page
  const phrases = words[reader.language].me
  const forms = describeForms(page)
  // An account of another network appears when something happened in it.
  const used = accounts.filter(({ statement }) => statement.count > 0)
  const shown = used.length > 0 ? used : accounts.slice(0, 1)
  return renderApplicationPage(
    page,
    undefined,
    html`<div class="row"><p class="quiet">${contact ?? ''}</p>
<form method="post" action="/me/sign-out">${forms.hiddenFields}<button class="small plain">${phrases.signOut}</button></form></div>
${shown.map((own) => renderPoints(own, reader.language, shown.length > 1))}
${wallets.length > 0 && renderWallets(wallets, page.application.slug, reader)}
<h2>${phrases.passports}</h2>
${
  passports.length === 0
    ? html`<p>${phrases.noPassports}</p>`
    : html`<ul class="owned">${passports.map((passport) => renderPassport(passport, reader))}</ul>`
}
${hasMorePassports && html`<p class="quiet">${phrases.morePassports(passports.length)}</p>`}
${offers.length > 0 && renderOffers(offers, reader, isOffered)}`,
  )
}

/** Why a card cannot be given out now. */
export type CardFailure = 'notConfigured' | 'unavailable'

/** Renders why the buyer gets no card, with the way back. */
export function renderCardFailure(page: MePage, failure: CardFailure): Answer {
  const { application, reader } = page
  const { back, failure: phrases } = words[reader.language].wallets
  return renderPublicPage(
    reader,
    {
      title: phrases.head,
      head: html`${renderLooks(application, reader)}`,
      footer: renderFooter(application, reader),
      status: failure === 'unavailable' ? 503 : 409,
    },
    html`${renderOwner(application, getTitle(application), reader)}<h1>${phrases.head}</h1>
<p>${phrases[failure]}</p>
<p><a class="button" href="${keepLanguage(getPageAddress(page), reader)}">${back}</a></p>`,
  )
}

function renderPoints(own: OwnAccount, language: Language, isOneOfMany: boolean): Markup {
  const phrases = words[language].me
  const { account, statement } = own
  const { optimisticBalance } = account.loyalty
  return html`<section class="card points" aria-label="${phrases.points}">
${isOneOfMany && html`<p class="quiet">${account.network}</p>`}
<p class="balance"><strong>${formatPoints(optimisticBalance, language)}</strong> ${phrases.pointsAfter(BigInt(optimisticBalance))}</p>
${renderDates(own, language)}
${optimisticBalance.startsWith('-') && html`<p>${phrases.below}</p>`}
<dl>
${renderTier(own, language)}
<div><dt>${phrases.visits}</dt><dd>${numbers[language].format(account.loyalty.visits)}</dd></div>
</dl>
</section>
<h2>${phrases.entries}</h2>
${statement.entries.length === 0 ? html`<p>${phrases.noEntries}</p>` : renderEntries(statement.entries, language)}`
}

/** Renders which points can be used later, and which expire soon, each with its day. */
function renderDates({ account, dates: { activating, expiring } }: OwnAccount, language: Language): Markup | false {
  const phrases = words[language].me
  const { pending } = account.loyalty
  return (
    (pending !== '0' || expiring.length > 0)
    && html`<ul class="dates">
${pending !== '0' && activating.length === 0 && html`<li>${phrases.pending(BigInt(pending))}</li>`}
${activating.map(({ amount, at }) => html`<li>${phrases.waiting(amount)} ${renderDay(at.toISOString(), language)}</li>`)}
${expiring.map(({ amount, at }) => html`<li>${phrases.expiring(amount)} ${renderDay(at.toISOString(), language)}</li>`)}
</ul>`
  )
}

function renderTier({ account: { loyalty }, nextTier }: OwnAccount, language: Language): Markup | false {
  const phrases = words[language].me
  const { rewardTier, fixedRewardTier } = loyalty
  // Visits change nothing for whoever was given a tier.
  const next = fixedRewardTier === null ? nextTier : null
  return (
    (rewardTier !== null || next !== null)
    && html`<div><dt>${phrases.tier}</dt><dd>${rewardTier !== null && html`<strong>${rewardTier.name}</strong>`}${rewardTier !== null && next && html`<br>`}${next && html`<span class="quiet">${phrases.toNextTier(next.missing, next.name)}</span>`}</dd></div>`
  )
}

function renderEntries(entries: readonly StatementEntry[], language: Language): Markup {
  const phrases = words[language].me
  const kinds: Readonly<Record<string, string>> = phrases.kinds
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${phrases.entries}"><table>
<thead><tr><th scope="col">${phrases.what}</th><th scope="col" class="number">${phrases.points}</th><th scope="col" class="number">${phrases.balance}</th></tr></thead>
<tbody>${entries.map(
    ({ kind, occurredAt, reason, points, balance }) => html`<tr>
<td>${kinds[kind] ?? kind}${reason !== null && html`: ${reason}`}<br><span class="quiet">${renderDay(occurredAt.toISOString(), language)}</span></td>
<td class="number">${formatChange(points, language)}</td><td class="number">${formatPoints(balance, language)}</td></tr>`,
  )}</tbody></table></div>`
}

/** The most that the picture of an item takes in the list, in pixels, as the style sheet says. */
const itemRoom = { width: 64, height: 64 }

function renderPassport({ id, title, picture, status, mintedAt }: OwnedPassport, reader: PageReader): Markup {
  const phrases = words[reader.language].me
  const notes = [
    ...(mintedAt === null ? [] : [phrases.since(formatDay(mintedAt, reader.language))]),
    ...(status === 'archived' ? [phrases.archived] : []),
  ]
  const passOn = words[reader.language].passingOn.action
  return html`<li class="card">${picture !== null && renderServedPicture(picture, { alt: '', sizes: '4rem', room: itemRoom })}
<p><a href="${keepLanguage(`/p/${id}`, reader)}">${title}</a><br><span class="quiet">${notes.join(', ')}</span>${status === 'claimed' && html`<br><a href="${keepLanguage(getOfferAddress(id), reader)}" aria-label="${passOn}: ${title}">${passOn}</a>`}</p></li>`
}

/** Renders the offers that a buyer has made and got, with what became of each. */
function renderOffers(offers: readonly ListedOffer[], reader: PageReader, isOffered: boolean): Markup {
  const phrases = words[reader.language].passingOn.list
  return html`<h2>${phrases.head}</h2>
${isOffered && html`<p class="good" role="status">${phrases.sent}</p>`}
<ul class="owned">${offers.map((offer) => renderOffer(offer, reader))}</ul>`
}

function renderOffer(offer: ListedOffer, reader: PageReader): Markup {
  const { list: phrases } = words[reader.language].passingOn
  const { passport, name, direction, status, email, phone, expiresAt } = offer
  const isMade = direction === 'made'
  const state = (isMade ? phrases.made : phrases.got)[status]
  const whom = isMade ? phrases.to(email ?? phone ?? '…') : phrases.received
  const until = status === 'open' && phrases.until(formatDay(expiresAt, reader.language))
  return html`<li class="card"><p><a href="${keepLanguage(`/p/${passport}`, reader)}">${name}</a> ${whom}<br>
<span class="${status === 'failed' ? 'bad' : 'quiet'}">${[state, until].filter(Boolean).join(', ')}</span></p>
${isMade && status === 'open' && html`<form method="post" action="${keepLanguage(`${getOfferAddress(passport)}/withdraw`, reader)}"><button class="small plain" aria-label="${phrases.withdraw}: ${name}">${phrases.withdraw}</button></form>`}</li>`
}
