import type { Answer } from '../kernel/answer.ts'
import type { Problem } from '../kernel/problem.ts'
import type { Membership } from '../features/identity/index.ts'
import { confirmationOf } from './console.ts'
import { html, type Markup } from './html.ts'
import { page } from './layout.ts'

interface Given { email: string; next: string }

const wrong = (problem: Problem | undefined): Markup | null => {
  if (!problem) return null
  const [first] = problem.errors ?? []
  const said = problem.code === 'AUTH_INVALID_OTP'
    ? 'This code is wrong or no longer good. Look for the newest message.'
    : first ? `Please check: ${first.path} ${first.message}.` : problem.detail
  return html`<p class="bad" role="alert">${said}</p>`
}
const statusOf = (problem: Problem | undefined) => (problem ? { status: problem.status, headers: problem.headers } : {})

/** The first step. What was wrong stays to be mended. */
export function emailForm(next: string, email = '', problem?: Problem): Answer {
  return page({ title: 'Sign in', ...statusOf(problem) }, html`<h1>Sign in</h1>
<p>For people who work with Tessera in an organization. We send you a code; there is no password.</p>
${wrong(problem)}
<form class="card" method="post" action="/console/sign-in">
<input type="hidden" name="next" value="${next}">
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="320" value="${email}">
<button>Send me a code</button>
</form>`)
}

/** The second step: the six digits. */
export function codeForm({ email, next }: Given, problem?: Problem): Answer {
  const hidden = html`<input type="hidden" name="email" value="${email}"><input type="hidden" name="next" value="${next}">`
  return page({ title: 'Your code', ...statusOf(problem) }, html`<h1>Your code</h1>
<p>We sent six digits to <strong>${email}</strong>. They are good for 10 minutes.</p>
${wrong(problem)}
<form class="card" method="post" action="/console/sign-in/code">${hidden}
<label for="otp">Your code</label>
<input id="otp" class="code" name="otp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,8}" maxlength="8" required>
<button>Sign in</button>
</form>
<form method="post" action="/console/sign-in">${hidden}<button class="plain">Send another code</button></form>
<p><a href="/console/sign-in">Use another address</a></p>`)
}

interface Choice {
  found: readonly Membership[]
  /** The proven domain of each organization that has one. */
  domains: ReadonlyMap<string, string>
  active: string | null
  next: string
}

/** Shows whom to work for, each with what it has proven; says so when there is nobody. */
export function organizations({ found, domains, active, next }: Choice): Markup {
  if (found.length === 0) {
    return html`<h1>No organization yet</h1>
<p>You are signed in, but your address is in no organization. Ask an owner of yours to add you, then come back.</p>`
  }
  return html`<h1>For whom do you work?</h1>
${found.map(({ id, name, role }) => html`<form class="card row" method="post" action="/console/organization">
<input type="hidden" name="organization" value="${id}"><input type="hidden" name="next" value="${next}">
<p><strong>${name}</strong><br><span class="quiet">${confirmationOf(domains.get(id))}, ${role}${id === active && ', at present'}</span></p>
<button class="small" aria-label="Work for ${name}">Choose</button>
</form>`)}`
}
