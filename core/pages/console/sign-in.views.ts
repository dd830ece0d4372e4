import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import type { Membership } from '../../features/identity/index.ts'
import { formatConfirmation } from './console.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage } from '../site/layout.ts'

/** The page where a person creates an organization. */
const newOrganizationPath = '/console/organizations/new'

interface SignInForm {
  email: string
  next: string
}

const renderProblem = (problem: ProblemError | undefined): Markup | null => {
  if (!problem) return null
  const [first] = problem.errors ?? []
  const said =
    problem.code === 'AUTH_INVALID_OTP'
      ? 'This code is wrong or no longer good. Look for the newest message.'
      : first
        ? `Please check: ${first.path} ${first.message}.`
        : problem.detail
  return html`<p class="bad" role="alert">${said}</p>`
}
const getStatus = (problem: ProblemError | undefined) =>
  problem ? { status: problem.status, headers: problem.headers } : {}

/** Renders the first step. A wrong entry stays in its field for correction. */
export function renderEmailForm(next: string, email = '', problem?: ProblemError): Answer {
  return renderPage(
    { title: 'Sign in', ...getStatus(problem) },
    html`<h1>Sign in</h1>
<p>For people who work with Tessera in an organization. We send you a code; there is no password.</p>
${renderProblem(problem)}
<form class="card" method="post" action="/console/sign-in">
<input type="hidden" name="next" value="${next}">
<label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="320" value="${email}">
<button>Send me a code</button>
</form>`,
  )
}

/** Renders the second step: the six digits. */
export function renderCodeForm({ email, next }: SignInForm, problem?: ProblemError): Answer {
  const hidden = html`<input type="hidden" name="email" value="${email}"><input type="hidden" name="next" value="${next}">`
  return renderPage(
    { title: 'Your code', ...getStatus(problem) },
    html`<h1>Your code</h1>
<p>We sent six digits to <strong>${email}</strong>. They are good for 10 minutes.</p>
${renderProblem(problem)}
<form class="card" method="post" action="/console/sign-in/code">${hidden}
<label for="otp">Your code</label>
<input id="otp" class="code" name="otp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,8}" maxlength="8" required>
<button>Sign in</button>
</form>
<form method="post" action="/console/sign-in">${hidden}<button class="plain">Send another code</button></form>
<p><a href="/console/sign-in">Use another address</a></p>`,
  )
}

interface OrganizationChoice {
  memberships: readonly Membership[]
  /** The proven domain of each organization that has one. */
  domains: ReadonlyMap<string, string>
  active: string | null
  next: string
}

/** Renders the choice of the organization to work for, each with its proven domain; says so if there is none. */
export function renderOrganizations({ memberships, domains, active, next }: OrganizationChoice): Markup {
  if (memberships.length === 0) {
    return html`<h1>No organization yet</h1>
<p>You are signed in, but you work for no organization yet. If yours is here already, ask one of its owners to invite you.</p>
<p><a class="button" href="${newOrganizationPath}">Create a new organization</a></p>`
  }
  return html`<h1>For whom do you work?</h1>
${memberships.map(
  ({ id, name, role }) =>
    html`<form class="card row" method="post" action="/console/organizations">
<input type="hidden" name="organization" value="${id}"><input type="hidden" name="next" value="${next}">
<p><strong>${name}</strong><br><span class="quiet">${formatConfirmation(domains.get(id))}, ${role}${id === active && ', at present'}</span></p>
<button class="small" aria-label="Work for ${name}">Choose</button>
</form>`,
)}
<p><a href="${newOrganizationPath}">Create a new organization</a></p>`
}
