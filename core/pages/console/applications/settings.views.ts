import { applicationFeatures, networkNames, type ApplicationFeature } from '../../../features/applications/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderField, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { formatCount, renderOptions } from '../frame/lists.views.ts'
import { cardNames, fieldPaths, loyaltyNames, splitDomains, textNames, type SettingsForm } from './settings.form.ts'
import { settingsWords, type ApplicationSettingsWords } from './settings.words.ts'

/** The form of an application. */
export interface SettingsView {
  form: SettingsForm
  /** What the application was like when the form was made. */
  mark: string
  /** What is stored, if somebody has changed it since the form was opened. */
  stored: SettingsForm | null
  action: string
  problem: ProblemError | undefined
}

/** What the fields are called that a problem can name, by path. */
export const listLabels = ({ domains }: SettingsForm, phrases: ApplicationSettingsWords): Record<string, string> => ({
  ...Object.fromEntries(textNames.map((name) => [fieldPaths[name], phrases.fields[name]])),
  ...Object.fromEntries(splitDomains(domains).map((domain, at) => [`domains[${at}]`, domain])),
})

/** Renders the form of an application. */
export function renderSettingsForm({ words, language }: ConsolePage, view: SettingsView): Markup {
  const phrases = settingsWords[language]
  const { form, mark, action, problem } = view
  const { fields, hints } = phrases
  const isLoyaltyOpen =
    form.features.includes('loyalty')
    || (problem?.errors ?? []).some(({ path }) => path.startsWith('loyaltySettings.'))
    || [...loyaltyNames, ...cardNames].some((name) => view.stored !== null && view.stored[name] !== form[name])
  const field = (name: (typeof textNames)[number], more: { maxLength?: number; isRequired?: boolean } = {}) =>
    renderField({ name, label: fields[name], value: form[name], ...(hints[name] && { hint: hints[name] }), ...more })
  return html`<h2 id="settings">${phrases.settings}</h2>
${view.stored && renderStored(form, view.stored, phrases)}
<form class="card" method="post" action="${action}" aria-labelledby="settings"><input type="hidden" name="mark" value="${mark}">
${field('name', { isRequired: true })}
${field('slug', { isRequired: true, maxLength: 63 })}
${field('websiteUrl', { maxLength: 2_048 })}
${field('domains', { maxLength: 26_000 })}
<fieldset><legend>${phrases.features}</legend>
${applicationFeatures.map(
  (feature) =>
    html`<label class="option"><input type="checkbox" name="${feature}" value="yes"${form.features.includes(feature) && html` checked`}>
<span>${phrases.featureNames[feature]}</span></label>`,
)}</fieldset>
${renderSelect(
  { name: 'defaultNetwork', label: fields.defaultNetwork, hint: hints.defaultNetwork ?? '' },
  renderOptions(
    networkNames.map((network) => [network, network] as const),
    form.defaultNetwork,
  ),
)}
<details class="more"${isLoyaltyOpen && html` open`}><summary>${phrases.points}</summary>
${renderSelect(
  { name: 'currency', label: fields.currency },
  renderOptions(
    [
      ['', phrases.notSet],
      ['EUR', 'EUR'],
      ['USD', 'USD'],
    ],
    form.currency,
  ),
)}
<div class="pair">${loyaltyNames.filter((name) => name !== 'currency').map((name) => field(name, { maxLength: 40 }))}</div>
<fieldset><legend>${phrases.cards}</legend><div class="pair">${cardNames.map((name) => field(name))}</div></fieldset></details>
<button>${words.list.save}</button></form>`
}

const formatFeatures = (features: readonly ApplicationFeature[], { featureNames, notSet }: ApplicationSettingsWords) =>
  features.map((feature) => featureNames[feature]).join(', ') || notSet

/** Renders what is stored now where a form says something else, for whoever has to choose between the two. */
function renderStored(form: SettingsForm, stored: SettingsForm, phrases: ApplicationSettingsWords): Markup {
  const kept = textNames
    .filter((name) => form[name].trim() !== stored[name])
    .map((name) => [phrases.fields[name], stored[name] || phrases.notSet] as const)
  const [written, present] = [form.features, stored.features].map((features) => formatFeatures(features, phrases))
  const all = written === present ? kept : [...kept, [phrases.features, present ?? ''] as const]
  return html`<section class="card" aria-labelledby="stored"><h3 id="stored">${phrases.storedHead}</h3>
<dl>${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`
}

/** Formats what goes with an application that is deleted, sentence by sentence. */
export function formatParts(parts: readonly { noun: string; count: number }[], language: ConsoleLanguage): string[] {
  const phrases = settingsWords[language]
  return parts.map(({ noun, count }) => {
    const [one, many] = phrases.parts[noun] ?? [noun, `${noun}s`]
    return phrases.partGoes(`${formatCount(count, language)} ${count === 1 ? one : many}`)
  })
}

/** Renders why an application that is in use stays, and where to begin. */
export function renderInUse({ words, language }: ConsolePage, { id, title }: { id: string; title: string }): Markup {
  const phrases = settingsWords[language]
  return html`<h1>${title}</h1>
<section class="card" aria-label="${words.list.willHappen}"><p role="status">${phrases.inUse}</p>
<ul><li><a href="/console/passports?application=${id}">${phrases.itsPassports}</a></li>
<li><a href="/console/accounts?application=${id}">${phrases.itsAccounts}</a></li></ul>
<p><a href="/console/applications/${id}">${words.list.cancel}</a></p></section>`
}
