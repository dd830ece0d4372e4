import { networkNames } from '../../../features/accounts/index.ts'
import { fieldTypes } from '../../../features/dpp/index.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import type { ConsolePage } from '../frame/frame.ts'
import { renderApplicationOptions, renderOptions, type ApplicationChoice } from '../frame/lists.views.ts'
import { fieldLists, isFull, maxRows, type FieldRow, type ListLetter, type SheetForm } from './editor.form.ts'
import { addSheetRefusals, sheetWords, type SheetWords } from './words.ts'

interface EditorView {
  title: string
  action: string
  back: string
  backText: string
  /** The applications to choose from; null for a sheet that has one. */
  applications: readonly ApplicationChoice[] | null
  problem: ProblemError | undefined
  /** Whether rows were changed that are not saved. */
  isChanged: boolean
}

/** Renders the form of a sheet: its name, and its fields as rows or as text. */
export function renderEditor(page: ConsolePage, form: SheetForm, view: EditorView): Markup {
  const { words, language } = page
  const phrases = sheetWords[language]
  const { problem, applications } = view
  const networks = [
    ...(applications ? [['', phrases.networkDefault] as const] : []),
    ...networkNames.map((name) => [name, name] as const),
  ]
  return html`<p><a href="${view.back}">${view.backText}</a></p>
<h1>${view.title}</h1>
${renderRefusal(problem, addSheetRefusals(page), createLabels(form, phrases))}
${view.isChanged && html`<p class="warn" role="status">${phrases.notSaved}</p>`}
<form method="post" action="${view.action}">
<button class="away" name="act" value="save" tabindex="-1" aria-hidden="true">${phrases.save}</button>
${problem?.code === 'DPP_PRODUCT_SCHEMA_IN_USE' && renderConflicts(problem, phrases)}
<div class="card">
${renderField({ name: 'name', label: phrases.name, value: form.name, hint: phrases.nameUse, isRequired: false, maxLength: 200 })}
<div class="pair">
${applications && renderSelect({ name: 'application', label: words.list.application }, renderApplicationOptions(applications, form.application))}
${renderSelect({ name: 'network', label: words.list.network, hint: phrases.networkUse }, renderOptions(networks, form.network))}</div></div>
<p class="quiet">${phrases.certifiedUse}</p>
${renderList('p', form, phrases)}
${renderList('s', form, phrases)}
<details class="more"${form.paths !== '' && html` open`}><summary>${phrases.paths}</summary>
<label for="paths">${phrases.paths}</label>
<textarea id="paths" name="paths" rows="2" spellcheck="false" aria-describedby="paths-use">${form.paths}</textarea>
<p class="quiet" id="paths-use">${phrases.pathsUse}</p></details>
<button name="act" value="save">${phrases.save}</button></form>
<p><a href="${view.action}${form.texts === null && '?as=text'}">${form.texts === null ? phrases.asText : phrases.asForm}</a></p>`
}

/** Says which passports do not fit, and offers to save all the same. */
function renderConflicts({ extra }: ProblemError, phrases: SheetWords): Markup {
  const samples = (extra['samples'] ?? []) as { id: string; name: string }[]
  return html`<div class="card"><p>${phrases.migrateText(Number(extra['passports']))}</p>
${samples.length > 0 && html`<p>${phrases.examples}: ${samples.slice(0, 5).map(({ id, name }, at) => html`${at > 0 && ', '}<a href="/console/passports/${id}">${name}</a>`)}</p>`}
<button class="danger" name="act" value="migrate">${phrases.migrate}</button></div>`
}

/** Returns what paths of definitions are called in the form. */
function createLabels(form: SheetForm, phrases: SheetWords): Record<string, string> {
  const labels: Record<string, string> = {
    name: phrases.name,
    passportsFields: phrases.passportFields,
    productFields: phrases.productFields,
  }
  const members = { name: phrases.key, label: phrases.label, type: phrases.type, variants: phrases.choices }
  for (const [letter, list] of Object.entries(fieldLists))
    for (const [at, row] of form.rows[letter as ListLetter].entries()) {
      const field = row.name === '' ? phrases.rowOf(at + 1) : row.name
      labels[`${list}[${at}]`] = field
      labels[`${list}[${at}].more`] = `${field}: ${phrases.others}`
      for (const [member, name] of Object.entries(members)) labels[`${list}[${at}].${member}`] = `${field}: ${name}`
    }
  return labels
}

function renderList(letter: ListLetter, form: SheetForm, phrases: SheetWords): Markup {
  const title = letter === 'p' ? phrases.passportFields : phrases.productFields
  const add = letter === 'p' ? phrases.addPassportField : phrases.addProductField
  if (form.texts)
    return html`<div class="card"><label for="text-${letter}">${title}</label>
<textarea id="text-${letter}" name="text.${letter}" rows="14" spellcheck="false" aria-describedby="text-${letter}-use">${form.texts[letter]}</textarea>
<p class="quiet" id="text-${letter}-use">${phrases.textUse}</p></div>`
  const rows = form.rows[letter]
  return html`<section aria-labelledby="list-${letter}"><h2 id="list-${letter}">${title}</h2>
<p class="quiet">${letter === 'p' ? phrases.passportFieldsUse : phrases.productFieldsUse}</p>
${rows.length === 0 && html`<p>${phrases.noFields}</p>`}
${rows.map((row, at) => renderRow(row, { letter, at, last: rows.length - 1 }, phrases))}
<p>${isFull(form) ? phrases.full(maxRows) : html`<button class="small plain" name="act" value="add:${letter}">${add}</button>`}</p></section>`
}

interface RowPlace {
  letter: ListLetter
  at: number
  last: number
}

function renderRow(row: FieldRow, { letter, at, last }: RowPlace, phrases: SheetWords): Markup {
  const prefix = `${letter}.${at}`
  const field = row.name === '' ? phrases.rowOf(at + 1) : row.name
  const types = fieldTypes.map((type) => [type, phrases.types[type]] as const)
  const renderBox = (member: string, name: string, isTicked: boolean) =>
    html`<label class="option"><input type="checkbox" name="${prefix}.${member}" value="yes"${isTicked && html` checked`}> ${name}</label>`
  const renderButton = (act: string, name: string, label: string) =>
    html`<button class="small plain" name="act" value="${act}:${letter}:${at}" aria-label="${label}">${name}</button>`
  const isOpen = row.type === 'enum' || row.more !== '' || row.labels !== ''
  return html`<fieldset class="card"><legend class="away">${field}</legend>
<div class="filters">
<p><label for="${prefix}.n">${phrases.key}</label><input id="${prefix}.n" name="${prefix}.name" maxlength="64" value="${row.name}" spellcheck="false"></p>
<p><label for="${prefix}.l">${phrases.label}</label><input id="${prefix}.l" name="${prefix}.label" maxlength="200" value="${row.label}"></p>
<p><label for="${prefix}.t">${phrases.type}</label><select id="${prefix}.t" name="${prefix}.type">${renderOptions(types, row.type)}</select></p></div>
<div class="buttons">${renderBox('required', phrases.isRequired, row.isRequired)}${renderBox('certified', phrases.isCertified, row.isCertified)}
${at > 0 && renderButton('up', phrases.up, phrases.upOf(field))}${at < last && renderButton('down', phrases.down, phrases.downOf(field))}
${renderButton('remove', phrases.remove, phrases.removeOf(field))}</div>
<details class="more"${isOpen && html` open`}><summary>${phrases.moreOfField}</summary>
<label for="${prefix}.o">${phrases.labels}</label><textarea id="${prefix}.o" name="${prefix}.labels" rows="2" aria-describedby="${prefix}.ou">${row.labels}</textarea>
<p class="quiet" id="${prefix}.ou">${phrases.labelsUse}</p>
<label for="${prefix}.v">${phrases.choices}</label><textarea id="${prefix}.v" name="${prefix}.variants" rows="3">${row.variants}</textarea>
<label for="${prefix}.m">${phrases.others}</label><textarea id="${prefix}.m" name="${prefix}.more" rows="2" spellcheck="false">${row.more}</textarea></details></fieldset>`
}
