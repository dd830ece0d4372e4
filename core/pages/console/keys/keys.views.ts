import { actions, allPermissions, resources, type PermissionMap } from '../../../kernel/permission.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { overlapHours, type CreatedApiKey, type ListedKey } from '../../../features/identity/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderClientSettings } from '../assistant/settings.views.ts'
import { renderCopyButton } from '../frame/copy.views.ts'
import { assistantWords } from '../assistant/words.ts'
import { addRefusals, renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import {
  type ApplicationChoice,
  formatCount,
  renderApplicationOptions,
  renderDay,
  renderInstant,
  renderListHead,
  renderOptions,
  renderPager,
  renderTable,
  renderWhatNext,
} from '../frame/lists.views.ts'
import type { ConsoleWords } from '../words/words.ts'
import { keyWords, type KeyWords } from './words.ts'

export const keysPath = '/console/keys'

/** What a new key may begin with. */
export const presets = ['read', 'passports', 'everything'] as const
export type Preset = (typeof presets)[number]

/** Formats the address of the form for a new key that begins with a preset. */
export const formatKeyFormAddress = (preset: Preset): string => `${keysPath}/new?preset=${preset}`

/** Returns the permissions of a preset. */
export function getPresetPermissions(preset: Preset): PermissionMap {
  if (preset === 'everything') return allPermissions
  if (preset === 'passports') return { organization: ['read'], application: ['read'], dpp: actions }
  return Object.fromEntries(resources.map((resource) => [resource, ['read']]))
}

/** The words of the console, with those for what is refused here. */
export const addKeyRefusals = ({ words, language }: Pick<ConsolePage, 'words' | 'language'>): ConsoleWords =>
  addRefusals(words, keyWords[language].codes)

const countPermissions = (map: PermissionMap) => Object.values(map).reduce((sum, { length }) => sum + length, 0)

const formatPermissions = (map: PermissionMap, phrases: KeyWords): string => {
  const all = resources.length * actions.length
  const count = countPermissions(map)
  return count === all ? phrases.presets.everything : phrases.ofAll(count, all)
}

/** Formats a key so that people recognize it. */
export const formatName = ({ name, lastFour }: ListedKey) => `${name} …${lastFour}`

interface KeysView {
  keys: readonly ListedKey[]
  total: number
  isFirst: boolean
  next: string | null
  mayCreate: boolean
  mayUpdate: boolean
}

/** Renders the keys of an organization with their state and last use. */
export function renderKeys({ language, words }: ConsolePage, view: KeysView): Markup {
  const phrases = keyWords[language]
  const renderUse = ({ lastUsedAt, lastUsedFrom }: ListedKey) =>
    lastUsedAt === null
      ? phrases.never
      : html`${renderInstant(lastUsedAt)}${lastUsedFrom !== null && html` <span class="quiet">${phrases.from(lastUsedFrom)}</span>`}`
  const renderActions = (key: ListedKey) =>
    view.mayUpdate
    && key.status === 'active'
    && html`<span class="actions"><a href="${keysPath}/${key.id}/rotate" aria-label="${phrases.rotateOf(formatName(key))}">${phrases.rotate}</a>
<a href="${keysPath}/${key.id}/revoke" aria-label="${phrases.revokeOf(formatName(key))}">${phrases.revoke}</a></span>`
  const columns = [
    { head: phrases.name, cell: ({ name, lastFour }: ListedKey) => html`${name}<br><code>…${lastFour}</code>` },
    {
      head: phrases.permissions,
      cell: ({ permissions, application }: ListedKey) =>
        html`${formatPermissions(permissions, phrases)}${application !== null && html`<br><span class="quiet">${application.name}</span>`}`,
    },
    {
      head: phrases.status,
      cell: ({ status }: ListedKey) =>
        html`<span class="badge${status === 'active' && ' good'}">${phrases.states[status]}</span>`,
    },
    { head: phrases.used, cell: renderUse },
    {
      head: phrases.ends,
      cell: ({ expiresAt }: ListedKey) => (expiresAt === null ? phrases.never : renderInstant(expiresAt)),
    },
    { head: phrases.made, cell: ({ createdAt }: ListedKey) => renderDay(createdAt) },
    { head: phrases.action, cell: renderActions },
  ]
  const create = view.mayCreate && html`<p><a class="button" href="${keysPath}/new">${phrases.create}</a></p>`
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${create}
${
  view.total === 0
    ? renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`${renderListHead(phrases.count(formatCount(view.total, language)), `${keysPath}.csv`, words)}
${renderTable(phrases.title, columns, view.keys)}
${renderPager(keysPath, view.next, { isFirst: view.isFirst, words })}`
}`
}

/** What a form for a new key says. */
export interface KeyForm {
  name: string
  permissions: PermissionMap
  /** The application to which the key is limited; empty for all of them. */
  application: string
  days: string
}

/** Renders the form for a new key: its name, what it may do and with what, and when it ends. */
export function renderKeyForm(
  page: ConsolePage,
  form: KeyForm,
  { applications, problem }: { applications: readonly ApplicationChoice[]; problem: ProblemError | undefined },
): Markup {
  const phrases = keyWords[page.language]
  const nameOf = (resource: string) => phrases.resources[resource] ?? resource
  const { name, permissions, application, lifetime: days } = phrases
  const labels = { name, permissions, application, days }
  const columns = [
    { head: phrases.resource, cell: (resource: (typeof resources)[number]) => nameOf(resource) },
    ...actions.map((action) => ({
      head: phrases.actions[action],
      cell: (resource: (typeof resources)[number]) => {
        const isChosen = form.permissions[resource]?.includes(action) ?? false
        return html`<input type="checkbox" name="${resource}:${action}" value="yes" aria-label="${nameOf(resource)}: ${phrases.actions[action]}"${isChosen && html` checked`}>`
      },
    })),
  ]
  return html`<h1>${phrases.newTitle}</h1>
${renderRefusal(problem, addKeyRefusals(page), labels)}
<nav aria-label="${phrases.startFrom}"><p>${phrases.startFrom}
${presets.map((preset, at) => html`${at > 0 && ' · '}<a href="${formatKeyFormAddress(preset)}">${phrases.presets[preset]}</a>`)}</p></nav>
<form class="card" method="post" action="${keysPath}">
${renderField({ name: 'name', label: phrases.name, value: form.name, hint: phrases.nameHint, isRequired: true, maxLength: 100 })}
<fieldset><legend>${phrases.permissions}</legend>${renderTable(phrases.permissions, columns, resources)}</fieldset>
${
  applications.length > 0
  && renderSelect(
    { name: 'application', label: phrases.application, hint: phrases.applicationHint },
    renderApplicationOptions(applications, form.application, [['', phrases.allApplications]]),
  )
}
${renderSelect({ name: 'days', label: phrases.lifetime }, renderOptions(Object.entries(phrases.days), form.days))}
<button>${phrases.create}</button></form>`
}

/** Renders a new secret, which is shown this once, and how an assistant uses it. */
export function renderSecret(page: ConsolePage, { key }: CreatedApiKey): Markup {
  const phrases = keyWords[page.language]
  return html`<h1>${phrases.secretTitle}</h1>
<p class="warn" role="status">${phrases.secretText}</p>
<section class="card" aria-label="${phrases.secretTitle}"><p><code id="secret">${key}</code></p>${renderCopyButton(page.words, 'secret')}</section>
<h2>${assistantWords[page.language].settingsHead}</h2>
<p>${assistantWords[page.language].settingsTextWithKey}</p>
${renderClientSettings(page, key)}
<p><a href="${keysPath}">${phrases.back}</a></p>`
}

/** Renders the question before a key is rotated: for how long the old one works on. */
export function renderRotation(page: ConsolePage, key: ListedKey, problem: ProblemError | undefined): Markup {
  const phrases = keyWords[page.language]
  return html`<h1>${phrases.rotateTitle(formatName(key))}</h1>
${renderRefusal(problem, addKeyRefusals(page))}
<p>${phrases.rotateText} ${formatUse(key, phrases)}</p>
<form class="card" method="post" action="${keysPath}/${key.id}/rotate">
${renderSelect(
  { name: 'hours', label: phrases.overlap },
  renderOptions(
    overlapHours.map((hours) => [`${hours}`, phrases.hours[`${hours}`]] as const),
    '24',
  ),
)}
<div class="row"><a href="${keysPath}">${page.words.list.cancel}</a><button>${phrases.rotate}</button></div></form>`
}

/** Returns the sentences about what revoking a key does. */
export const listRevocationConsequences = (key: ListedKey, phrases: KeyWords): string[] => [
  phrases.revokeText,
  formatUse(key, phrases),
]

const formatUse = ({ lastUsedAt }: ListedKey, phrases: KeyWords): string =>
  lastUsedAt === null ? phrases.neverUsed : phrases.lastUse(`${lastUsedAt.slice(0, 16).replace('T', ' ')} UTC`)
