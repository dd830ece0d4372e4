import type { Answer } from '../kernel/answer.ts'
import type { EndUserCaller } from '../kernel/caller.ts'
import type { Job } from '../kernel/job.ts'
import type { Problem } from '../kernel/problem.ts'
import type { PassportView } from '../features/dpp/index.ts'
import { html, safeAddress, type Markup } from './html.ts'
import { noticeWords } from './notices/words.ts'
import { inLanguage, languageField, publicPage, type Reader } from './reader.ts'
import { words } from './words.ts'

/** How a buyer is reached. */
export type Contact = { type: 'email-otp'; email: string } | { type: 'phone-otp'; phoneCallingCode: string; phone: string }

/** What a buyer claims by: the token of a magic link, or the passport itself with a contact that its seller has named. */
export type Door = { token: string } | { passport: string }

/** The first page of a claim, without its language. */
export const claimAddress = (door: Door): string =>
  'token' in door ? `/claim?token=${encodeURIComponent(door.token)}` : `/claim?passport=${door.passport}`

/** A claim on its way: what it is of, what it is made by, and who reads. */
export interface Claiming { view: PassportView; door: Door; reader: Reader }

const saidTo = ({ language }: Reader) => words[language].claiming

const head = (view: PassportView): Markup => html`<p class="quiet">${view.application.title}</p>
<h1>${view.title}</h1>
${view.image && html`<img class="product" src="${safeAddress(view.image)}" alt="${view.title}">`}`

const field = (name: string, value: string): Markup => html`<input type="hidden" name="${name}" value="${value}">`

/** What each form of a claim sends along. */
const carried = ({ door, reader }: Claiming): Markup =>
  html`${Object.entries(door).map(([name, value]) => field(name, value))}${languageField(reader)}`

function wrong(problem: Problem | undefined, reader: Reader): Markup | false {
  if (!problem) return false
  const said = saidTo(reader)
  const own = said.refusals[problem.code]
  const [first] = problem.errors ?? []
  const told = first ? html`${said.check} <span lang="en">${first.path} ${first.message}.</span>` : html`<span lang="en">${problem.detail}</span>`
  return html`<p class="bad" role="alert">${own ?? told}</p>`
}

function claimPage({ view, door, reader }: Claiming, problem: Problem | undefined, content: Markup): Answer {
  return publicPage(reader, {
    title: saidTo(reader).title(view.title), here: claimAddress(door), ...(problem && { status: problem.status }),
  }, html`${head(view)}
${content}`)
}

/** The first step: an e-mail address, or a phone number where the brand offers it. What was wrong stays to be mended. */
export function contactForm(claiming: Claiming, methods: readonly string[], given?: Contact, problem?: Problem): Answer {
  const { view, reader } = claiming
  const said = saidTo(reader)
  const email = given?.type === 'email-otp' ? given.email : ''
  const { phoneCallingCode, phone } = given?.type === 'phone-otp' ? given : { phoneCallingCode: '', phone: '' }
  return claimPage(claiming, problem, html`<p>${said.intro}</p>
${wrong(problem, reader)}
${methods.includes('email-otp') && html`<form class="card" method="post" action="/claim/code">
${carried(claiming)}
<label for="email">${said.email}</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="320" value="${email}">
<button>${said.sendCode}</button>
</form>`}
${methods.includes('phone-otp') && html`<form class="card" method="post" action="/claim/code">
${carried(claiming)}
<label for="calling">${said.callingCode}</label>
<input id="calling" name="phoneCallingCode" type="tel" autocomplete="tel-country-code" placeholder="+33" required maxlength="6" value="${phoneCallingCode}">
<label for="phone">${said.phone}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel-national" required maxlength="20" value="${phone}">
<button>${said.textCode}</button>
</form>`}
<p class="quiet"><a href="${inLanguage(`/p/${view.passport.id}`, reader)}">${said.lookFirst}</a></p>`)
}

/** The second step: the six digits. */
export function codeForm(claiming: Claiming, contact: Contact, problem?: Problem): Answer {
  const said = saidTo(claiming.reader)
  const address = contact.type === 'email-otp' ? contact.email : `${contact.phoneCallingCode} ${contact.phone}`
  const { type: _, ...parts } = contact
  const along = html`${carried(claiming)}${Object.entries(parts).map(([name, value]) => field(name, value))}`
  return claimPage(claiming, problem, html`<p>${said.sentTo} <strong>${address}</strong>. ${said.goodFor}</p>
${wrong(problem, claiming.reader)}
<form class="card" method="post" action="/claim/sign-in">
${along}
<label for="otp">${said.code}</label>
<input id="otp" class="code" name="otp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,8}" maxlength="8" required>
<button>${said.signIn}</button>
</form>
<form method="post" action="/claim/code">${along}<button class="plain">${said.anotherCode}</button></form>`)
}

/** The third step: one button. */
export function claimForm(claiming: Claiming, buyer: EndUserCaller, problem?: Problem): Answer {
  const said = saidTo(claiming.reader)
  const known = buyer.email ?? buyer.phoneNumber
  return claimPage(claiming, problem, html`<p>${known ? html`${said.signedInAs} <strong>${known}</strong>.` : said.signedIn}</p>
${wrong(problem, claiming.reader)}
<form class="card" method="post" action="/claim">
${carried(claiming)}
<p>${'token' in claiming.door ? said.onceByLink : said.once}</p>
<button>${said.button}</button>
</form>`)
}

/** A link that was used, has expired, or never was one; or a passport that nobody can claim now. */
export function brokenDoor(door: Door, view: PassportView | null, reader: Reader): Answer {
  const said = saidTo(reader)
  const closed = view && reasonOfClosed(view, reader)
  const { head: title, told } = closed === null ? ('token' in door ? said.broken : said.closed) : { head: said.closed.head, told: closed }
  return publicPage(reader, { title, status: 400, here: claimAddress(door) }, html`<h1>${title}</h1>
<p>${told}</p>
${view && html`<p><a class="button" href="${inLanguage(`/p/${view.passport.id}`, reader)}">${said.broken.see}</a></p>`}`)
}

/** Says why nobody can claim what is archived, revoked or suspended, however good the link is; null for the rest. */
function reasonOfClosed({ passport, withdrawals: [withdrawal] }: PassportView, { language }: Reader): string | null {
  const { archived, withdrawn } = noticeWords[language]
  if (passport.status === 'archived') return archived
  return withdrawal ? withdrawn[withdrawal.level][withdrawal.purpose].told : null
}

/** The claim on its way; the browser looks again until it has ended. */
export function jobPage(job: Job, reader: Reader): Answer {
  const { done, failed, waiting } = saidTo(reader)
  const options = { here: `/claim/${job.id}` }
  const passport = typeof job.result?.['passport'] === 'string' ? job.result['passport'] : null
  if (job.status === 'completed') {
    return publicPage(reader, { ...options, title: done.head }, html`<h1>${done.head}</h1>
<p class="good" role="status">${done.told}</p>
<section class="card"><dl>
<div><dt>${done.transaction}</dt><dd><code>${String(job.result?.['transactionHash'] ?? '')}</code></dd></div>
<div><dt>${done.token}</dt><dd><code>${String(job.result?.['tokenId'] ?? '')}</code></dd></div>
</dl></section>
${passport && html`<p><a class="button" href="${inLanguage(`/p/${passport}`, reader)}">${done.see}</a></p>`}`)
  }
  if (job.status === 'failed') {
    const [first] = job.errors
    return publicPage(reader, { ...options, title: failed.head }, html`<h1>${failed.head}</h1>
<p class="bad" role="alert">${first ? html`<span lang="en">${first.message}</span>` : failed.told}</p>
<p>${failed.again}</p>`)
  }
  return publicPage(reader, { ...options, title: waiting.head, refresh: 1 }, html`<h1>${waiting.head}</h1>
<p role="status">${waiting.told}</p>
<progress class="bar" aria-label="${waiting.bar}"></progress>`)
}
