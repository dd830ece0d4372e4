import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { legalPath } from '../console.ts'
import { addRefusals, renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderOptions } from '../frame/lists.views.ts'
import { settingsWords } from './settings.words.ts'

export const settingsPath = '/console/organization'
/** The page that says what a deletion does. */
export const deletionPath = `${settingsPath}/delete`

/** What a currency field can say; nothing for later. */
export const currencies = ['', 'EUR', 'USD'] as const

/** What the form says. A box that is not ticked is absent. */
export interface SettingsForm {
  name: string
  slug: string
  timeZone: string
  locale: string
  preferredCurrency: (typeof currencies)[number]
  emailCodes?: string
  phoneCodes?: string
  google?: string
  auth0?: string
  auth0Domain: string
  auth0ClientId: string
  /** Never shown: what is written here replaces the kept one, nothing leaves it. */
  auth0ClientSecret: string
}

interface SettingsView {
  form: SettingsForm
  /** The currency that was chosen, once for all. */
  currency: string | null
  mayUpdate: boolean
  mayDelete: boolean
  isSaved: boolean
  /** Whether this installation has a client at Google. */
  isGoogleOffered: boolean
  hasClientSecret: boolean
  /** The address at which Auth0 gives people back. */
  callbackAddress: string
  problem: ProblemError | undefined
}

/** The time zones of this system, and the one that days are counted in where nothing was chosen. */
const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Renders the settings of an organization: as a form for those who may change them, else as a list. */
export function renderSettings({ language, words }: ConsolePage, view: SettingsView): Markup {
  const { form, currency, mayUpdate, mayDelete, isSaved, problem } = view
  const phrases = settingsWords[language]
  const labels = {
    name: phrases.name,
    slug: phrases.slug,
    timeZone: phrases.timeZone,
    locale: phrases.locale,
    preferredCurrency: phrases.currency,
    'settings.authConfig.google.enabled': phrases.google,
    'settings.authConfig.auth0.domain': phrases.auth0Domain,
    'settings.authConfig.auth0.clientId': phrases.auth0ClientId,
    'settings.authConfig.auth0.clientSecret': phrases.auth0ClientSecret,
  }
  const documents = html`<p><a href="${legalPath}">${phrases.documents}</a></p>`
  const ways = [
    ['emailCodes', phrases.emailCodes],
    ['phoneCodes', phrases.phoneCodes],
    ...(view.isGoogleOffered || form.google !== undefined ? [['google', phrases.google] as const] : []),
    ['auth0', phrases.auth0],
  ] as const
  if (!mayUpdate)
    return html`<h1>${phrases.title}</h1>
<dl><dt>${phrases.name}</dt><dd>${form.name}</dd><dt>${phrases.slug}</dt><dd><code>${form.slug}</code></dd>
<dt>${phrases.timeZone}</dt><dd>${form.timeZone}</dd><dt>${phrases.locale}</dt><dd>${form.locale}</dd>
<dt>${phrases.currency}</dt><dd>${currency ?? phrases.noCurrency}</dd>
<dt>${phrases.ways}</dt><dd>${ways
      .filter(([way]) => form[way] !== undefined)
      .map(([, name]) => name)
      .join(', ')}</dd></dl>
${documents}`
  const zones = timeZones.includes(form.timeZone) ? timeZones : [form.timeZone, ...timeZones]
  return html`<h1>${phrases.title}</h1>
${isSaved && html`<p class="good" role="status">${phrases.saved}</p>`}
${renderRefusal(problem, addRefusals(words, phrases.codes), labels)}
<form class="card" method="post" action="${settingsPath}">
${renderField({ name: 'name', label: phrases.name, value: form.name, hint: phrases.nameHint, isRequired: true })}
${renderField({ name: 'slug', label: phrases.slug, value: form.slug, hint: phrases.slugHint, isRequired: true, maxLength: 63 })}
${renderSelect(
  { name: 'timeZone', label: phrases.timeZone, hint: phrases.timeZoneHint },
  renderOptions(
    zones.map((zone) => [zone, zone] as const),
    form.timeZone,
  ),
)}
${renderField({ name: 'locale', label: phrases.locale, value: form.locale, hint: phrases.localeHint, isRequired: true, maxLength: 35 })}
${
  currency === null
    ? renderSelect(
        { name: 'preferredCurrency', label: phrases.currency, hint: phrases.currencyHint },
        renderOptions(
          currencies.map((one) => [one, one === '' ? phrases.noCurrency : one] as const),
          form.preferredCurrency,
        ),
      )
    : html`<p>${phrases.currency}: <strong>${currency}</strong> <span class="quiet">${phrases.currencySet}</span></p>`
}
<fieldset><legend>${phrases.ways}</legend>
${ways.map(
  ([way, name]) =>
    html`<label class="option"><input type="checkbox" name="${way}" value="yes"${form[way] !== undefined && html` checked`}>
<span>${name}</span></label>`,
)}<p class="quiet">${phrases.waysHint}</p></fieldset>
${renderTenant(phrases, view)}
<button>${phrases.save}</button></form>
${documents}
${mayDelete && html`<p><a href="${deletionPath}">${phrases.deletion}</a></p>`}`
}

/** Renders the fields of the organization's own tenant at Auth0. */
function renderTenant(
  phrases: (typeof settingsWords)['en'],
  { form, hasClientSecret, callbackAddress }: SettingsView,
): Markup {
  return html`<fieldset><legend>${phrases.tenant}</legend>
<p class="quiet">${phrases.tenantHint} <code>${callbackAddress}</code></p>
${renderField({ name: 'auth0Domain', label: phrases.auth0Domain, value: form.auth0Domain, hint: phrases.auth0DomainHint, maxLength: 253 })}
${renderField({ name: 'auth0ClientId', label: phrases.auth0ClientId, value: form.auth0ClientId, maxLength: 200 })}
${renderField({
  name: 'auth0ClientSecret',
  label: phrases.auth0ClientSecret,
  value: '',
  hint: hasClientSecret ? phrases.secretKept : phrases.secretMissing,
  type: 'password',
  maxLength: 500,
})}</fieldset>`
}
