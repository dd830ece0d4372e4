import type { ApplicationShape, ApplicationView, DomainProof } from '../../../features/applications/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { may } from '../console.ts'
import { renderField, renderRefusal } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import {
  formatCount,
  renderDay,
  renderInstant,
  renderListHead,
  renderPager,
  renderTable,
  renderWhatNext,
} from '../frame/lists.views.ts'
import type { ConsoleWords } from '../words/words.ts'
import { listLabels, renderSettingsForm, type SettingsView } from './settings.views.ts'
import { settingsWords } from './settings.words.ts'
import { applicationWords } from './words.ts'

export const applicationsPath = '/console/applications'
export const getApplicationAddress = (id: string): string => `${applicationsPath}/${id}`

/** The words of the frame with the refusals of applications. */
export const addRefusals = ({ words, language }: ConsolePage): ConsoleWords => ({
  ...words,
  refusals: { ...words.refusals, ...applicationWords[language].codes, ...settingsWords[language].codes },
})

interface ApplicationListView {
  applications: readonly ApplicationShape[]
  total: number
  isFirst: boolean
  next: string | null
  mayCreate: boolean
}

/** Renders the list of applications. */
export function renderApplications({ words, language }: ConsolePage, view: ApplicationListView): Markup {
  const phrases = applicationWords[language]
  const columns = [
    {
      head: phrases.name,
      cell: ({ id, name }: ApplicationShape) => html`<a href="${getApplicationAddress(id)}">${name}</a>`,
    },
    { head: phrases.slug, cell: ({ slug }: ApplicationShape) => slug },
    { head: phrases.domains, cell: ({ domains }: ApplicationShape) => domains.join(', ') || phrases.none },
    { head: phrases.created, cell: ({ createdAt }: ApplicationShape) => renderDay(createdAt) },
  ]
  return html`<h1>${phrases.title}</h1>
<p>${phrases.intro}</p>
${view.mayCreate && html`<p><a class="button" href="${applicationsPath}/new">${phrases.create}</a></p>`}
${
  view.total === 0
    ? renderWhatNext(words, phrases.emptyHead, phrases.emptyText)
    : html`${renderListHead(phrases.count(formatCount(view.total, language)), `${applicationsPath}.csv`, words)}
${renderTable(phrases.title, columns, view.applications)}
${renderPager(applicationsPath, view.next, { isFirst: view.isFirst, words })}`
}`
}

/** What the form for a new application says. */
export interface ApplicationForm {
  name: string
  domains: string
}

/** Renders the form for a new application. */
export function renderApplicationForm(page: ConsolePage, form: ApplicationForm, problem?: ProblemError): Markup {
  const phrases = applicationWords[page.language]
  const labels = { name: phrases.name, domains: phrases.domains }
  return html`<h1>${phrases.newTitle}</h1>
${renderRefusal(problem, addRefusals(page), labels)}
<form class="card" method="post" action="${applicationsPath}">
${renderField({ name: 'name', label: phrases.name, value: form.name, isRequired: true })}
${renderField({ name: 'domains', label: phrases.domains, value: form.domains, hint: phrases.domainsHint, maxLength: 5_000 })}
<div class="row"><a href="${applicationsPath}">${page.words.list.cancel}</a><button>${phrases.create}</button></div></form>`
}

/** Says on a page that needs an application that there is none, with the way to one for whoever may create it. */
export function renderApplicationNeeded({ member, words, language }: ConsolePage): Markup {
  const phrases = applicationWords[language]
  const way = may(member, 'application:create')
    ? html`<a href="${applicationsPath}/new">${phrases.create}</a>`
    : phrases.askForOne
  return renderWhatNext(words, phrases.emptyHead, html`${phrases.neededText} ${way}`)
}

/** Says what comes after an application. */
function renderNext({ words, language }: ConsolePage): Markup {
  const phrases = applicationWords[language]
  return html`<section class="card" aria-label="${words.list.whatNext}"><p>${phrases.nextText}</p>
<ul><li><a href="/console/sheets/new">${phrases.nextSheet}</a></li>
<li><a href="/console/imports/new">${phrases.nextImport}</a></li></ul></section>`
}

interface OneApplicationView {
  application: ApplicationView
  domains: readonly DomainProof[]
  isFirst: boolean
  next: string | null
  /** Whether to say what comes after an application. */
  mayMakePassports: boolean
  /** The form, for those who may change the application. */
  settings: SettingsView | null
  mayDelete: boolean
  isSaved: boolean
  problem?: ProblemError | undefined
}

/** Renders one application with its domains and what proves each, and with its form for those who may change it. */
export function renderApplication(page: ConsolePage, view: OneApplicationView): Markup {
  const phrases = applicationWords[page.language]
  const { id, name, slug, websiteUrl, defaultNetwork, features } = view.application
  const { settings } = view
  const texts = settingsWords[page.language]
  const customers = `${page.work.context.settings.publicUrl}/me?application=${slug}`
  const columns = [
    { head: phrases.domain, cell: ({ domain }: DomainProof) => domain },
    {
      head: phrases.status,
      cell: ({ status, reason }: DomainProof) =>
        html`<span class="badge${status === 'proven' && ' good'}">${phrases.statuses[status]}</span>${reason && html`<br>${phrases.reasons[reason]}`}`,
    },
    {
      head: phrases.checked,
      cell: ({ checkedAt }: DomainProof) => (checkedAt === null ? phrases.never : renderInstant(checkedAt)),
    },
    {
      head: phrases.record,
      cell: ({ record }: DomainProof) => html`<code>${record.name}</code><br><code>${record.value}</code>`,
    },
    ...(settings ? [{ head: phrases.action, cell: renderCheck }] : []),
  ]
  function renderCheck({ domain }: DomainProof): Markup {
    return html`<form method="post" action="${getApplicationAddress(id)}/check"><input type="hidden" name="domain" value="${domain}"><button class="small" aria-label="${phrases.checkOf(domain)}">${phrases.check}</button></form>`
  }
  return html`<h1>${name}</h1>
${view.isSaved && html`<p class="good" role="status">${texts.saved}</p>`}
${renderRefusal(view.problem, addRefusals(page), settings ? listLabels(settings.form, texts) : {})}
<section class="card"><dl><div><dt>${phrases.identifier}</dt><dd><code>${id}</code></dd></div>
${
  !settings
  && html`<div><dt>${phrases.slug}</dt><dd>${slug}</dd></div>
<div><dt>${phrases.website}</dt><dd>${websiteUrl ?? phrases.none}</dd></div>
<div><dt>${texts.features}</dt><dd>${features.map((feature) => texts.featureNames[feature]).join(', ') || phrases.none}</dd></div>`
}
<div><dt>${phrases.customers}</dt><dd><a href="${customers}">${customers}</a></dd></div>
${!settings && html`<div><dt>${phrases.network}</dt><dd>${defaultNetwork}</dd></div>`}</dl></section>
${view.mayMakePassports && renderNext(page)}
<h2>${phrases.domains}</h2>
${
  view.domains.length === 0
    ? html`<p>${phrases.noDomains}</p>`
    : html`<p>${phrases.recordText}</p>
${renderTable(phrases.domains, columns, view.domains)}
${renderPager(getApplicationAddress(id), view.next, { isFirst: view.isFirst, words: page.words })}`
}
${settings && renderSettingsForm(page, settings)}
<p><a href="/console/branding/${id}">${phrases.branding}</a></p>
<p><a href="${applicationsPath}">${phrases.back}</a></p>
${view.mayDelete && html`<p><a href="${getApplicationAddress(id)}/delete">${texts.deleteLink}</a></p>`}`
}
