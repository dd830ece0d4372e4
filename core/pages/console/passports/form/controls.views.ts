import { type FieldDefinition, isValueRequired } from '../../../../features/dpp/index.ts'
import type { Issue } from '../../../../kernel/problem.ts'
import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'
import { html, type Markup } from '../../../site/html.ts'
import { getFieldLabel, listVariants } from '../../frame/field-labels.ts'
import { renderOptions } from '../../frame/lists.views.ts'
import type { ConsoleWords } from '../../words/words.ts'
import { passportWords } from '../words/words.ts'
import {
  getControlId,
  getCountControl,
  getItemControl,
  getItemCount,
  getOpenControl,
  getRestControl,
  joinControl,
  type FormTexts,
} from './controls.ts'

/** What all controls of one form share. */
export interface FormLook {
  texts: FormTexts
  /** What is stored now, if somebody has changed it since the form was opened. */
  stored: FormTexts | null
  issues: ReadonlyMap<string, readonly Issue[]>
  /** The control that has the focus, or an object or list whose first control it is. */
  focus: string | null
  /** Whether an object that may be left out has to be added first, because there are very many of them. */
  foldsObjects: boolean
  language: ConsoleLanguage
  words: ConsoleWords
  /** What the controls are called, filled while they are rendered. */
  labels: Map<string, string>
}

/** Describes an issue in the words of the reader; in English as the API does. */
export function describeIssue({ code, message }: Issue, { language, words }: FormLook): Markup {
  if (language === 'en') return html`${message}`
  const own = passportWords[language].issues[code] ?? words.issues[code]
  return own === undefined ? html`<span lang="en">${message}</span>` : html`${own}`
}

const takesFocus = (control: string, look: FormLook): boolean => {
  const { focus } = look
  if (focus === null || !(control === focus || ['.', '[', '~'].some((sign) => control.startsWith(`${focus}${sign}`))))
    return false
  look.focus = null
  return true
}

/** A control with its label. */
interface ControlFrame {
  control: string
  label: string
  isRequired: boolean
  hint?: string
}

/** Renders a control with its label, what is wrong with it, and what is stored now. @param render renders the control with these attributes */
export function renderFramedControl(
  { control, label, isRequired, hint }: ControlFrame,
  look: FormLook,
  render: (attributes: Markup) => Markup,
): Markup {
  const phrases = passportWords[look.language]
  look.labels.set(control, label)
  const id = getControlId(control)
  const issues = look.issues.get(control) ?? []
  const stored = look.stored?.[control] ?? ''
  const hasMoved = look.stored !== null && stored !== (look.texts[control] ?? '')
  const notes = [issues.length > 0 && `${id}-issue`, hasMoved && `${id}-stored`, hint !== undefined && `${id}-use`]
  const described = notes.filter((note) => note !== false).join(' ')
  const attributes = html` id="${id}" name="${control}"${issues.length > 0 && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}${takesFocus(control, look) && html` autofocus`}`
  return html`<div class="field"><label for="${id}">${label}${!isRequired && html` <span class="quiet">(${look.words.list.optional})</span>`}</label>
${render(attributes)}
${issues.length > 0 && html`<p class="bad" id="${id}-issue">${issues.map((issue, at) => html`${at > 0 && '; '}${describeIssue(issue, look)}`)}</p>`}
${hasMoved && html`<p class="bad" id="${id}-stored">${stored === '' ? phrases.storedNothing : phrases.storedNow(stored)}</p>`}
${hint !== undefined && html`<p class="quiet" id="${id}-use">${hint}</p>`}</div>`
}

/** Renders a text of many lines. A line feed after the tag is not part of the text. */
export const renderTextArea = (attributes: Markup, text: string, rows: number): Markup =>
  html`<textarea${attributes} rows="${rows}" spellcheck="false">
${text}</textarea>`

/** Renders the controls of an object's members. */
export const renderMembers = (definitions: readonly FieldDefinition[], control: string, look: FormLook): Markup =>
  html`${definitions.map((definition) => renderValue(definition, joinControl(control, definition.name), look))}`

/** Returns the label of a field; an element of a list has its number. */
const getLabel = (definition: FieldDefinition, control: string, language: ConsoleLanguage): string => {
  const label = getFieldLabel(definition, language)
  if (definition.name !== '[]') return label
  const [, index = '0'] = /\[(\d+)\]$/.exec(control) ?? []
  return `${label === '[]' ? passportWords[language].element : label} ${Number(index) + 1}`
}

function renderValue(definition: FieldDefinition, control: string, look: FormLook): Markup {
  const { type, itemsType } = definition
  const label = getLabel(definition, control, look.language)
  if (type === 'object') return renderObject(definition, { control, label }, look)
  if (type === 'array' && itemsType) return renderList(definition, itemsType, { control, label }, look)
  return renderScalar(definition, { control, label, isRequired: isValueRequired(definition) }, look)
}

type Named = Pick<ControlFrame, 'control' | 'label'>

/** Renders what is wrong with an object or list as a whole. */
function renderGroupIssues({ control, label }: Named, look: FormLook): Markup | false {
  look.labels.set(control, label)
  const issues = look.issues.get(control) ?? []
  return (
    issues.length > 0
    && html`<p class="bad" id="${getControlId(control)}" tabindex="-1">${issues.map((issue) => html`${describeIssue(issue, look)} `)}</p>`
  )
}

const renderButton = (name: 'add' | 'remove', control: string, text: string, focused: boolean): Markup =>
  html`<button class="small plain" name="${name}" value="${control}" formnovalidate${focused && html` autofocus`}>${text}</button>`

function renderObject({ fields = [], name, ...definition }: FieldDefinition, named: Named, look: FormLook): Markup {
  const { control, label } = named
  const phrases = passportWords[look.language]
  const open = getOpenControl(control)
  const canBeRemoved = look.foldsObjects && !isValueRequired({ ...definition, name }) && name !== '[]'
  if (canBeRemoved && look.texts[open] !== '1')
    return html`<p>${renderButton('add', open, phrases.addOne(label), takesFocus(control, look))}</p>`
  const rest = look.texts[getRestControl(control)]
  return html`<fieldset class="card"><legend>${label}</legend>${renderGroupIssues(named, look)}
<input type="hidden" name="${open}" value="1">${rest !== undefined && html`<input type="hidden" name="${getRestControl(control)}" value="${rest}">`}
${renderMembers(fields, control, look)}
${canBeRemoved && html`<p>${renderButton('remove', open, phrases.removeOne(label), false)}</p>`}</fieldset>`
}

function renderList(
  { maxLength = Infinity }: FieldDefinition,
  itemsType: FieldDefinition,
  named: Named,
  look: FormLook,
): Markup {
  const { control, label } = named
  const phrases = passportWords[look.language]
  const count = getItemCount(look.texts, control)
  const items = Array.from({ length: count }, (_, index) => getItemControl(control, index))
  const storedCount = look.stored === null ? count : getItemCount(look.stored, control)
  return html`<fieldset class="card"><legend>${label}</legend>${renderGroupIssues(named, look)}
<input type="hidden" name="${getCountControl(control)}" value="${count}">
${storedCount !== count && html`<p class="bad">${phrases.storedElements(storedCount)}</p>`}
${items.map(
  (item, index) => html`${renderValue({ ...itemsType, label: label }, item, look)}
<p>${renderButton('remove', item, phrases.removeOne(`${label} ${index + 1}`), false)}</p>`,
)}
${count < maxLength && html`<p>${renderButton('add', control, phrases.addOne(label), takesFocus(control, look))}</p>`}</fieldset>`
}

function renderScalar(definition: FieldDefinition, frame: ControlFrame, look: FormLook): Markup {
  const { type, min, max, maxLength } = definition
  const phrases = passportWords[look.language]
  const text = look.texts[frame.control] ?? ''
  const required = frame.isRequired && html` aria-required="true"`
  const input = (kind: string, more: Markup | false = false) =>
    renderFramedControl(
      frame,
      look,
      (attributes) => html`<input${attributes} type="${kind}"${required}${more} value="${text}">`,
    )
  switch (type) {
    case 'number':
      return input(
        'text',
        html` inputmode="decimal"${(min !== undefined || max !== undefined) && html` title="${phrases.range(min, max)}"`}`,
      )
    case 'date':
      return /^(\d{4}-\d\d-\d\d)?$/.test(text) ? input('date') : input('text')
    case 'url':
    case 'image':
      return input('text', html` inputmode="url" maxlength="2048"`)
    case 'boolean':
      return renderChoice({ true: phrases.yes, false: phrases.no }, text, frame, look)
    case 'enum':
      return renderChoice(Object.fromEntries(listVariants(definition, look.language)), text, frame, look)
    case 'text':
      return renderFramedControl(frame, look, (attributes) => renderTextArea(attributes, text, 4))
    case 'json':
    case 'array':
    case 'object':
      return renderFramedControl({ ...frame, hint: phrases.jsonUse }, look, (attributes) =>
        renderTextArea(attributes, text, 5),
      )
    default:
      return input('text', maxLength !== undefined && html` maxlength="${Math.max(maxLength, text.length) * 2}"`)
  }
}

function renderChoice(
  choices: Readonly<Record<string, string>>,
  text: string,
  frame: ControlFrame,
  look: FormLook,
): Markup {
  // A value that is no choice any more stays, until somebody chooses another one.
  const known = Object.hasOwn(choices, text) || text === '' ? [] : [[text, text] as const]
  const options = renderOptions([['', '–'], ...Object.entries(choices), ...known], text)
  return renderFramedControl(frame, look, (attributes) => html`<select${attributes}>${options}</select>`)
}
