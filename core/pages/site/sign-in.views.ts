import type { ProblemError } from '../../kernel/problem.ts'
import { optional, string } from '../../kernel/schema.ts'
import { html, type Markup } from './html.ts'
import type { PageReader } from './reader.ts'
import { words } from '../../languages/index.ts'

/** How a buyer is reached. */
export type Contact =
  { type: 'email-otp'; email: string } | { type: 'phone-otp'; phoneCallingCode: string; phone: string }

/** The members of a form that ask for a contact. */
export const contactParameters = {
  email: optional(string('E-mail address of the buyer.', { maxLength: 320 })),
  phoneCallingCode: optional(string('Calling code, as +33.', { maxLength: 6 })),
  phone: optional(string('Phone number without calling code.', { maxLength: 20 })),
}
/** The member of a form that asks for the code. */
export const codeParameter = string('The six digits.', { maxLength: 20 })

export function parseContact(body: { email?: string; phoneCallingCode?: string; phone?: string }): Contact {
  const { email, phoneCallingCode = '', phone } = body
  return phone ? { type: 'phone-otp', phoneCallingCode, phone } : { type: 'email-otp', email: (email ?? '').trim() }
}
export const parseCode = (text: string): string => text.replace(/\D/g, '')

export const renderHiddenField = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`

/** Renders why a form was refused, in the reader's language; in English where there are no special words, the problem's own. */
export function renderRefusal(problem: ProblemError | undefined, { language }: PageReader): Markup | false {
  if (!problem) return false
  const { refusals, refused } = words[language].claiming
  const [first] = problem.errors ?? []
  const detail = first ? `Please check: ${first.path} ${first.message}.` : problem.detail
  return html`<p class="bad" role="alert">${refusals[problem.code] ?? refused ?? detail}</p>`
}

/** Where the forms of a sign-in go, and what they send along. */
export interface SignInForms {
  reader: PageReader
  /** The path that sends a code. */
  codePath: string
  /** The path that takes the code. */
  signInPath: string
  hiddenFields: Markup
  /** What a sign-in by a provider of identities is for, and where it leads. */
  provider: { application: string; brand: string; redirect: string; network?: string }
}

/** Renders the ways to sign in by a provider of identities that the brand offers, each as a link. */
function renderProviderLinks({ reader, provider }: SignInForms, methods: readonly string[]): Markup {
  const { withGoogle, withBrand } = words[reader.language].claiming
  const { brand, ...query } = provider
  const address = (name: string) => `/v1/auth/sign-in/${name}?${new URLSearchParams(query).toString()}`
  return html`${
    methods.includes('google') && html`<p><a class="button" href="${address('google')}">${withGoogle}</a></p>`
  }
${methods.includes('auth0') && html`<p><a class="button" href="${address('auth0')}">${withBrand(brand)}</a></p>`}`
}

/**
 * Renders the first step: an e-mail address, a phone number or a provider, as the brand offers it. A wrong entry stays in its field
 * for correction.
 */
export function renderContactForms(forms: SignInForms, methods: readonly string[], enteredContact?: Contact): Markup {
  const { reader, codePath, hiddenFields } = forms
  const phrases = words[reader.language].claiming
  const email = enteredContact?.type === 'email-otp' ? enteredContact.email : ''
  const { phoneCallingCode, phone } =
    enteredContact?.type === 'phone-otp' ? enteredContact : { phoneCallingCode: '', phone: '' }
  return html`${
    methods.includes('email-otp')
    && html`<form class="card" method="post" action="${codePath}">
${hiddenFields}
<label for="email">${phrases.email}</label>
<input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength="320" value="${email}">
<button>${phrases.sendCode}</button>
</form>`
  }
${
  methods.includes('phone-otp')
  && html`<form class="card" method="post" action="${codePath}">
${hiddenFields}
<label for="calling">${phrases.callingCode}</label>
<input id="calling" name="phoneCallingCode" type="tel" autocomplete="tel-country-code" placeholder="+33" required maxlength="6" value="${phoneCallingCode}">
<label for="phone">${phrases.phone}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel-national" required maxlength="20" value="${phone}">
<button>${phrases.textCode}</button>
</form>`
}
${renderProviderLinks(forms, methods)}`
}

/** Renders the second step: the six digits. */
export function renderCodeForms(forms: SignInForms, contact: Contact, problem?: ProblemError): Markup {
  const { reader, codePath, signInPath } = forms
  const phrases = words[reader.language].claiming
  const address = contact.type === 'email-otp' ? contact.email : `${contact.phoneCallingCode} ${contact.phone}`
  const { type: _, ...parts } = contact
  const hiddenFields = html`${forms.hiddenFields}${Object.entries(parts).map(([name, value]) => renderHiddenField(name, value))}`
  return html`<p>${phrases.sentTo} <strong>${address}</strong>. ${phrases.goodFor}</p>
${renderRefusal(problem, reader)}
<form class="card" method="post" action="${signInPath}">
${hiddenFields}
<label for="otp">${phrases.code}</label>
<input id="otp" class="code" name="otp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,8}" maxlength="8" required>
<button>${phrases.signIn}</button>
</form>
<form method="post" action="${codePath}">${hiddenFields}<button class="plain">${phrases.anotherCode}</button></form>`
}
