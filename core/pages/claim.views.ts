import type { Answer } from '../kernel/answer.ts'
import type { EndUserCaller } from '../kernel/caller.ts'
import type { Job } from '../kernel/job.ts'
import type { Problem } from '../kernel/problem.ts'
import type { PassportView } from '../features/dpp/index.ts'
import { html, safeAddress, type Markup } from './html.ts'
import { page } from './layout.ts'

/** How a buyer is reached. */
export type Contact = { type: 'email-otp'; email: string } | { type: 'phone-otp'; phoneCallingCode: string; phone: string }

const head = (view: PassportView): Markup => html`<p class="quiet">${view.application.title}</p>
<h1>${view.title}</h1>
${view.image && html`<img class="product" src="${safeAddress(view.image)}" alt="${view.title}">`}`

const wrong = (problem: Problem | undefined): Markup | null => problem
  ? html`<p class="bad" role="alert">${problem.code === 'AUTH_INVALID_OTP' ? 'This code is wrong or no longer good. Look for the newest message.' : problem.errors?.[0]?.message ? `Please check: ${problem.errors[0].path} ${problem.errors[0].message}.` : problem.detail}</p>`
  : null

const titleOf = (view: PassportView) => `Claim ${view.title}`
const statusOf = (problem: Problem | undefined) => problem ? { status: problem.status } : {}

/** The first step: an e-mail address, or a phone number where the brand offers it. What was wrong stays to be mended. */
export function contactForm(
  view: PassportView, token: string, methods: readonly string[], given?: Contact, problem?: Problem,
): Answer {
  const email = given?.type === 'email-otp' ? given.email : ''
  const { phoneCallingCode, phone } = given?.type === 'phone-otp' ? given : { phoneCallingCode: '', phone: '' }
  return page({ title: titleOf(view), ...statusOf(problem) }, html`${head(view)}
<p>This item can be yours on record. Sign in with a code, then claim it.</p>
${wrong(problem)}
${methods.includes('email-otp') && html`<form class="card" method="post" action="/claim/code">
<input type="hidden" name="token" value="${token}">
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="320" value="${email}">
<button>Send me a code</button>
</form>`}
${methods.includes('phone-otp') && html`<form class="card" method="post" action="/claim/code">
<input type="hidden" name="token" value="${token}">
<label for="calling">Country calling code</label>
<input id="calling" name="phoneCallingCode" type="tel" autocomplete="tel-country-code" placeholder="+33" required maxlength="6" value="${phoneCallingCode}">
<label for="phone">Your phone number</label>
<input id="phone" name="phone" type="tel" autocomplete="tel-national" required maxlength="20" value="${phone}">
<button>Text me a code</button>
</form>`}
<p class="quiet"><a href="/p/${view.passport.id}">Look at the passport first</a></p>`)
}

/** The second step: the six digits. */
export function codeForm(view: PassportView, token: string, contact: Contact, problem?: Problem): Answer {
  const address = contact.type === 'email-otp' ? contact.email : `${contact.phoneCallingCode} ${contact.phone}`
  const hidden = contact.type === 'email-otp'
    ? html`<input type="hidden" name="email" value="${contact.email}">`
    : html`<input type="hidden" name="phoneCallingCode" value="${contact.phoneCallingCode}"><input type="hidden" name="phone" value="${contact.phone}">`
  return page({ title: titleOf(view), ...statusOf(problem) }, html`${head(view)}
<p>We sent six digits to <strong>${address}</strong>. They are good for 10 minutes.</p>
${wrong(problem)}
<form class="card" method="post" action="/claim/sign-in">
<input type="hidden" name="token" value="${token}">${hidden}
<label for="otp">Your code</label>
<input id="otp" class="code" name="otp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,8}" maxlength="8" required>
<button>Sign in</button>
</form>
<form method="post" action="/claim/code"><input type="hidden" name="token" value="${token}">${hidden}<button class="plain">Send another code</button></form>`)
}

/** The third step: one button. */
export function claimForm(view: PassportView, token: string, buyer: EndUserCaller, problem?: Problem): Answer {
  return page({ title: titleOf(view), ...statusOf(problem) }, html`${head(view)}
<p>You are signed in${buyer.email ?? buyer.phoneNumber ? html` as <strong>${buyer.email ?? buyer.phoneNumber}</strong>` : null}.</p>
${wrong(problem)}
<form class="card" method="post" action="/claim">
<input type="hidden" name="token" value="${token}">
<p>The token of this passport goes to your wallet here. It happens once, and the link stops working.</p>
<button>Claim it</button>
</form>`)
}

/** A link that was used, has expired, or never was one. */
export function brokenLink(view: PassportView | null): Answer {
  return page({ title: 'This link does not work', status: 400 }, html`<h1>This link does not work</h1>
<p>It was used already, has expired, or was not copied whole. Ask the shop for a new one.</p>
${view && html`<p><a class="button" href="/p/${view.passport.id}">See the passport</a></p>`}`)
}

/** The claim on its way; the browser looks again until it has ended. */
export function jobPage(job: Job): Answer {
  const passport = typeof job.result?.['passport'] === 'string' ? job.result['passport'] : null
  if (job.status === 'completed') {
    return page({ title: 'It is yours' }, html`<h1>It is yours</h1>
<p class="good" role="status">The passport was claimed and its token is in your wallet.</p>
<section class="card"><dl>
<div><dt>Transaction</dt><dd><code>${String(job.result?.['transactionHash'] ?? '')}</code></dd></div>
<div><dt>Token</dt><dd><code>${String(job.result?.['tokenId'] ?? '')}</code></dd></div>
</dl></section>
${passport && html`<p><a class="button" href="/p/${passport}">See your passport</a></p>`}`)
  }
  if (job.status === 'failed') {
    return page({ title: 'It did not work' }, html`<h1>It did not work</h1>
<p class="bad" role="alert">${job.errors[0]?.message ?? 'The claim failed.'}</p>
<p>Nothing was lost: the link works again. Open it once more, or ask the shop.</p>`)
  }
  return page({ title: 'Claiming…', refresh: 1 }, html`<h1>Claiming…</h1>
<p role="status">Your passport is being handed over. This takes a few seconds; the page looks by itself.</p>
<progress class="bar" aria-label="Claim in progress"></progress>`)
}
