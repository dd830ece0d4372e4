import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/schema.ts'
import { readOwnSheet, updateSheet, type FieldDefinition, type Sheet } from '../../../features/dpp/index.ts'
import { memberPageOptions } from '../console.ts'
import { getFieldLabel, listVariants } from '../frame/field-labels.ts'
import { getRefusal, renderField, renderRefusal, renderSelect } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { renderOptions } from '../frame/lists.views.ts'
import { html, type Markup } from '../../site/html.ts'
import { formatText, parseText } from './table.ts'
import { getSheetAddress as getAddress, sheetsPath as path } from './sheets.views.ts'
import { addSheetRefusals, sheetWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** The maximum number of values that the form has. */
const maxValues = 100

/** What the form says: the text of each value, in the order of the fields. */
type ValueForm = readonly string[]

/** The form of the product's own values. */
const showOperation = declareOperation({
  id: 'console_sheet_values_page_v1',
  method: 'GET',
  path: `${path}/:id/values`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Values of a product' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id, '/values'), 'dpp:update')
  if (isAnswer(page)) return page
  const sheet = await readOwnSheet(page.work, input.params.id)
  const form = sheet.productFields.map(({ name }) => formatText(sheet.fields[name]))
  return renderValues(page, sheet, form)
})

function renderValues(page: ConsolePage, sheet: Sheet, form: ValueForm, problem?: ProblemError): Promise<Answer> {
  const phrases = sheetWords[page.language]
  const title = phrases.valuesTitle(sheet.name)
  const labels = Object.fromEntries(
    sheet.productFields.map((field) => [`fields.${field.name}`, getFieldLabel(field, page.language)] as const),
  )
  const fields = sheet.productFields.slice(0, maxValues)
  const content = html`<p><a href="${getAddress(sheet.id)}">${phrases.back}</a></p>
<h1>${title}</h1>
${renderRefusal(problem, addSheetRefusals(page), labels)}
<p>${phrases.valuesText}</p>
${
  fields.length === 0
    ? html`<p>${phrases.valuesNone} <a href="${getAddress(sheet.id, '/edit')}">${phrases.valuesNoneLink}</a></p>`
    : html`<form class="card" method="post" action="${getAddress(sheet.id, '/values')}">
${fields.map((field, at) => renderValue(field, { name: `v.${at}`, text: form[at] ?? '' }, page.language))}
<button>${phrases.save}</button></form>`
}`
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

/** Renders the field of a value, as its type needs it. */
function renderValue(
  field: FieldDefinition,
  { name, text }: { name: string; text: string },
  language: ConsolePage['language'],
): Markup {
  const phrases = sheetWords[language]
  const { type, required } = field
  const label = `${getFieldLabel(field, language)}${required === true ? ` (${phrases.required})` : ''}`
  const none = ['', phrases.choose] as const
  if (type === 'enum')
    return renderSelect({ name, label }, renderOptions([none, ...listVariants(field, language)], text))
  if (type === 'boolean')
    return renderSelect({ name, label }, renderOptions([none, ['true', phrases.yes], ['false', phrases.no]], text))
  if (type === 'text' || type === 'json' || type === 'array' || type === 'object')
    return html`<div class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="4" spellcheck="${type === 'text' ? 'true' : 'false'}"${type !== 'text' && html` aria-describedby="${name}-use"`}>${text}</textarea>
${type !== 'text' && html`<p class="quiet" id="${name}-use">${phrases.types[type]}</p>`}</div>`
  return renderField({
    name,
    label,
    value: text,
    maxLength: 2_048,
    ...(type !== 'string' && { hint: phrases.types[type] }),
  })
}

const updateOperation = declareOperation({
  id: 'console_sheet_values_change_page_v1',
  method: 'POST',
  path: `${path}/:id/values`,
  ...memberPageOptions,
  body: Type.Record(Type.String({ maxLength: 10 }), Type.String({ maxLength: 100_000 }), { maxProperties: maxValues }),
  document: { tag: 'Pages', summary: 'Change the values of a product' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id, '/values'), 'dpp:update')
  if (isAnswer(page)) return page
  const sheet = await readOwnSheet(page.work, id)
  const form = sheet.productFields.map((_, at) => input.body[`v.${at}`] ?? '')
  const fields = Object.fromEntries(
    sheet.productFields.slice(0, maxValues).map((field, at) => {
      const value = parseText(field, form[at] ?? '')
      return [field.name, createReplacement(sheet.fields[field.name], value)] as const
    }),
  )
  try {
    return await input.finish(async (work) => {
      await updateSheet(work, id, { fields }, { precondition: () => undefined, dryRun: false })
      return answerRedirect(getAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderValues(page, sheet, form, getRefusal(cause))
  }
})

/** Creates the merge patch that replaces a value by another: what the new one lacks is removed. Source: RFC 7396. */
function createReplacement(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after ?? null
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries([...names].map((name) => [name, createReplacement(before[name], after[name])]))
}

export const sheetValuePages: Operation[] = [showOperation, updateOperation]
