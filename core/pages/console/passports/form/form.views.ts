import type { FieldDefinition } from '../../../../features/dpp/index.ts'
import { networkNames } from '../../../../features/accounts/index.ts'
import type { Issue, ProblemError } from '../../../../kernel/problem.ts'
import { html, type Markup } from '../../../site/html.ts'
import { renderApplicationNeeded } from '../../applications/applications.views.ts'
import { renderRefusal, renderSelect } from '../../frame/forms.views.ts'
import type { ConsolePage } from '../../frame/frame.ts'
import { renderApplicationOptions, renderOptions, type ApplicationChoice } from '../../frame/lists.views.ts'
import { getPassportAddress, passportsPath } from '../list/titles.ts'
import { addPassportRefusals, passportWords, type PassportWords } from '../words/words.ts'
import { getControlId, getRestControl, type FormTexts } from './controls.ts'
import { describeIssue, renderFramedControl, renderMembers, renderTextArea, type FormLook } from './controls.views.ts'

/** What a form of a passport is made of. */
export interface FormShape {
  /** `fields` of a sheet, or the `product` that a passport describes itself. */
  root: 'fields' | 'product'
  definitions: readonly FieldDefinition[]
}

export interface FormView {
  title: string
  action: string
  back: string
  shape: FormShape
  texts: FormTexts
  /** What is stored now, if somebody has changed it since the form was opened. */
  stored: FormTexts | null
  focus: string | null
  problem: ProblemError | undefined
  /** The control of each path of the content. */
  controls: ReadonlyMap<string, string>
  /** Hidden fields: the sheet or application of a new passport, the mark of a present one. */
  hidden: Readonly<Record<string, string>>
  /** Whether a new passport chooses its network. */
  hasNetwork: boolean
}

/** Finds the control that a path leads to, or that of the nearest object or list around it; null if there is none. */
function findControl(path: string, controls: ReadonlyMap<string, string>): string | null {
  for (let at = path; at !== ''; at = at.replace(/(\.[^.[]*|\[[^[]*|^[^.[]+)$/, '')) {
    const control = controls.get(at)
    if (control !== undefined) return control
  }
  return null
}

function groupIssues(issues: readonly Issue[], controls: ReadonlyMap<string, string>): Map<string, Issue[]> {
  const grouped = new Map<string, Issue[]>()
  for (const issue of issues) {
    const control = findControl(issue.path, controls)
    if (control !== null) grouped.set(control, [...(grouped.get(control) ?? []), issue])
  }
  return grouped
}

/** Renders the form of a passport, made of the definitions of its content. */
export function renderPassportForm(page: ConsolePage, view: FormView): Markup {
  const { language, words } = page
  const phrases = passportWords[language]
  const { shape, texts, problem, controls } = view
  const issues = problem?.errors ?? []
  const look: FormLook = {
    texts,
    stored: view.stored,
    issues: groupIssues(issues, controls),
    focus: view.focus,
    foldsObjects: shape.root === 'product',
    language,
    words,
    labels: new Map(),
  }
  const content = html`${renderContent(view, look, phrases)}
${renderCommon(look, phrases)}`
  return html`<p><a href="${view.back}">${words.list.cancel}</a></p>
<h1>${view.title}</h1>
${renderProblem(page, view, look)}
<form method="post" action="${view.action}">
<button class="away" tabindex="-1" aria-hidden="true">${words.list.save}</button>
${Object.entries(view.hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${content}
<button>${words.list.save}</button>
</form>`
}

function renderProblem(page: ConsolePage, { problem, controls }: FormView, look: FormLook): Markup | false {
  if (!problem) return false
  const phrases = passportWords[page.language]
  const issues = problem.errors ?? []
  const words = addPassportRefusals(page, { PRECONDITION_FAILED: phrases.stale })
  const existing = problem.extra['existing']
  if (issues.length === 0 || words.refusals[problem.code] !== undefined)
    return html`${renderRefusal(problem, words)}
${typeof existing === 'string' && html`<p><a href="${getPassportAddress(existing)}">${phrases.existing}</a></p>`}`
  return html`<div class="bad" role="alert"><p>${phrases.refusedValues(issues.length)}</p>
<ul>${issues.slice(0, maxSummary).map((issue) => {
    const control = findControl(issue.path, controls)
    const label = (control !== null && look.labels.get(control)) || issue.path
    return html`<li>${control === null ? label : html`<a href="#${getControlId(control)}">${label}</a>`}: ${describeIssue(issue, look)}</li>`
  })}</ul></div>`
}

/** The most issues that stand above the form; all of them stand beside their fields. */
const maxSummary = 20

function renderContent({ shape, hasNetwork }: FormView, look: FormLook, phrases: PassportWords): Markup {
  const { root, definitions } = shape
  const isProduct = root === 'product'
  const rest = getRestControl(root)
  const further = isProduct || look.texts[rest] !== undefined
  return html`<section class="card" aria-label="${isProduct ? phrases.product : phrases.values}"><h2>${isProduct ? phrases.product : phrases.values}</h2>
${hasNetwork && renderSelect({ name: 'network', label: look.words.list.network }, renderOptions([['', phrases.defaultNetwork], ...networkNames.map((name) => [name, name] as const)], look.texts['network'] ?? ''))}
${definitions.length === 0 && html`<p>${phrases.noFields}</p>`}
${renderMembers(definitions, root, look)}
${further && renderJson(rest, isProduct ? phrases.furtherMembers : phrases.unknownMembers, look, phrases)}</section>
${isProduct && html`<section class="card" aria-label="${phrases.data}"><h2>${phrases.data}</h2>${renderJson(getRestControl('data'), phrases.dataValues, look, phrases)}</section>`}`
}

const renderJson = (control: string, label: string, look: FormLook, phrases: PassportWords): Markup =>
  renderFramedControl({ control, label, isRequired: false, hint: phrases.jsonObjectUse }, look, (attributes) =>
    renderTextArea(attributes, look.texts[control] ?? '', 6),
  )

function renderCommon(look: FormLook, phrases: PassportWords): Markup {
  const input = (control: string, label: string, type: string, hint?: string) =>
    renderFramedControl(
      { control, label, isRequired: false, ...(hint !== undefined && { hint }) },
      look,
      (attributes) => html`<input${attributes} type="${type}" maxlength="2000" value="${look.texts[control] ?? ''}">`,
    )
  return html`<section class="card" aria-label="${phrases.whoAndProof}"><h2>${phrases.whoAndProof}</h2>
${input('reference', phrases.reference, 'text', phrases.referenceUse)}
${input('allowedClaimEmail', phrases.claimEmail, 'email', phrases.claimUse)}
${input('allowedClaimPhoneNumber', phrases.claimPhone, 'tel', phrases.phoneUse)}
${renderFramedControl({ control: 'certifiedPaths', label: phrases.certifiedPaths, isRequired: false, hint: phrases.certifiedPathsUse }, look, (attributes) => renderTextArea(attributes, look.texts['certifiedPaths'] ?? '', 3))}
${input('certificateUri', phrases.certificateUri, 'text', phrases.certificateUriUse)}
</section>`
}

interface ChoiceView {
  sheets: readonly ApplicationChoice[]
  applications: readonly ApplicationChoice[]
}

/** Renders the choice of what a new passport is made from. */
export function renderFormChoice(page: ConsolePage, { sheets, applications }: ChoiceView): Markup {
  const { language, words } = page
  const phrases = passportWords[language]
  const address = `${passportsPath}/new`
  return html`<p><a href="${passportsPath}">${phrases.all}</a></p>
<h1>${phrases.newTitle}</h1>
${
  sheets.length > 0
    ? html`<form class="card" method="get" action="${address}"><h2>${phrases.fromSheet}</h2><p>${phrases.fromSheetText}</p>
${renderSelect({ name: 'sheet', label: phrases.sheet }, renderApplicationOptions(sheets, ''))}<button>${phrases.goOn}</button></form>`
    : html`<p>${phrases.noSheets} <a href="/console/sheets/new">${phrases.makeSheet}</a></p>`
}
${
  applications.length > 0
    ? html`<form class="card" method="get" action="${address}"><h2>${phrases.withoutSheet}</h2><p>${phrases.withoutSheetText}</p>
${renderSelect({ name: 'application', label: words.list.application }, renderApplicationOptions(applications, ''))}<button>${phrases.goOn}</button></form>`
    : renderApplicationNeeded(page)
}`
}
