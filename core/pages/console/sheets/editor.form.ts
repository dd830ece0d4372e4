import { fieldTypes, type FieldDefinition, type FieldType, type Sheet } from '../../../features/dpp/index.ts'
import { isObject, parseJson } from '../../../kernel/json/values.ts'
import { createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import type { LocalizedText } from '../../../kernel/text/localized.ts'
import { listNameIssues } from '../frame/forms.views.ts'

/** The lists of fields by the letter that the names of the form's fields begin with. */
export const fieldLists = { p: 'passportsFields', s: 'productFields' } as const
export type ListLetter = keyof typeof fieldLists
const letters = Object.keys(fieldLists) as ListLetter[]

/** A field of a sheet as the form has it. A box that is not ticked is false. */
export interface FieldRow {
  name: string
  label: string
  /** The label in other languages, one a line: `fr: Matière`. The label itself is the English one then. */
  labels: string
  type: FieldType
  isRequired: boolean
  isCertified: boolean
  /** The words of an enum, one a line. */
  variants: string
  /** Its other members as JSON, or nothing. */
  more: string
}

/** What the form of a sheet says. */
export interface SheetForm {
  name: string
  application: string
  network: string
  rows: Record<ListLetter, FieldRow[]>
  /** The certified paths that no row stands for, one a line. */
  paths: string
  /** The lists as text; null while they are rows. */
  texts: Record<ListLetter, string> | null
}

/** The maximum number of fields that the form has as rows. With more, a page would be too large. */
export const maxRows = 24

export const emptyRow: FieldRow = {
  name: '',
  label: '',
  labels: '',
  type: 'string',
  isRequired: false,
  isCertified: false,
  variants: '',
  more: '',
}

type Body = Readonly<Record<string, string>>

/** Converts a definition to its row. */
function toRow(definition: FieldDefinition, certified: readonly string[]): FieldRow {
  const { name, label: said = '', type, required, variants, ...members } = definition
  const { en: label = '', ...others } = typeof said === 'string' ? { en: said } : said
  const isPlain = variants?.every((word) => word !== '' && !/[\r\n]/.test(word) && word === word.trim()) ?? true
  const more = {
    ...members,
    ...(required === false && { required }),
    ...(said === '' && definition.label !== undefined && { label: said }),
    ...(!isPlain && { variants }),
  }
  return {
    name,
    label,
    labels: Object.entries(others)
      .map(([tag, text]) => `${tag}: ${text}`)
      .join('\n'),
    type,
    isRequired: required === true,
    isCertified: certified.includes(name),
    variants: isPlain ? (variants ?? []).join('\n') : '',
    more: Object.keys(more).length === 0 ? '' : JSON.stringify(more),
  }
}

const formatDefinitions = (definitions: readonly FieldDefinition[]): string =>
  definitions.length === 0 ? '[]' : `[\n${definitions.map((one) => JSON.stringify(one)).join(',\n')}\n]`

/** Converts a sheet to its form. @param asText whether its fields are text; they are anyway if there are too many */
export function toForm(sheet: Sheet, asText: boolean): SheetForm {
  const { name, application, network, productFields, passportsFields, certifiedPaths } = sheet
  const isText = asText || productFields.length + passportsFields.length > maxRows
  const names = new Set(isText ? [] : [...productFields, ...passportsFields].map((field) => field.name))
  const convert = (definitions: readonly FieldDefinition[]) =>
    isText ? [] : definitions.map((definition) => toRow(definition, certifiedPaths))
  return {
    name,
    application,
    network,
    rows: { p: convert(passportsFields), s: convert(productFields) },
    paths: certifiedPaths.filter((path) => !names.has(path)).join('\n'),
    texts: isText ? { p: formatDefinitions(passportsFields), s: formatDefinitions(productFields) } : null,
  }
}

/** Reads the form as it was sent. Its fields are named `p.0.name`; nothing but known fields is read. */
export function readForm(body: Body): SheetForm {
  const isText = body['text.p'] !== undefined || body['text.s'] !== undefined
  return {
    name: body['name'] ?? '',
    application: body['application'] ?? '',
    network: body['network'] ?? '',
    rows: { p: isText ? [] : readRows(body, 'p'), s: isText ? [] : readRows(body, 's') },
    paths: body['paths'] ?? '',
    texts: isText ? { p: body['text.p'] ?? '[]', s: body['text.s'] ?? '[]' } : null,
  }
}

function readRows(body: Body, letter: ListLetter): FieldRow[] {
  const rows: FieldRow[] = []
  for (let at = 0; at < maxRows && body[`${letter}.${at}.name`] !== undefined; at++) {
    const read = (member: string) => body[`${letter}.${at}.${member}`] ?? ''
    rows.push({
      name: read('name').trim(),
      label: read('label').trim(),
      labels: read('labels'),
      type: fieldTypes.find((type) => type === read('type')) ?? 'string',
      isRequired: read('required') !== '',
      isCertified: read('certified') !== '',
      variants: read('variants'),
      more: read('more').trim(),
    })
  }
  return rows
}

const countRows = ({ rows }: SheetForm): number => letters.reduce((sum, letter) => sum + rows[letter].length, 0)
export const isFull = (form: SheetForm): boolean => countRows(form) >= maxRows

/**
 * Changes the rows as a button says: `add:p`, or `remove:p:2`, `up:p:2`, `down:p:2`.
 * @returns the form afterwards; null for a button that only saves
 */
export function changeRows(form: SheetForm, act: string): SheetForm | null {
  const [, what, letter, index = ''] = /^(add|remove|up|down):([ps])(?::(\d{1,3}))?$/.exec(act) ?? []
  if (what === undefined || (letter !== 'p' && letter !== 's')) return null
  const rows = [...form.rows[letter]]
  const at = Number(index)
  if (what === 'add' && !isFull(form)) rows.push(emptyRow)
  if (what === 'remove') rows.splice(at, 1)
  const to = what === 'up' ? at - 1 : at + 1
  const [row, other] = [rows[at], rows[to]]
  if ((what === 'up' || what === 'down') && row && other) {
    rows[at] = other
    rows[to] = row
  }
  return { ...form, rows: { ...form.rows, [letter]: rows } }
}

/** The content of a sheet that a form asks for. */
export interface WrittenSheet {
  name: string
  passportsFields: FieldDefinition[]
  productFields: FieldDefinition[]
  certifiedPaths: string[]
}

/**
 * Parses a form. What the definitions mean is judged by the operation.
 * @param before the certified paths of the sheet, whose order stays
 * @throws VALIDATION_FAILED for a name that is none, and for text that is no JSON
 */
export function parseSheetForm(form: SheetForm, before: readonly string[] = []): WrittenSheet {
  const name = form.name.trim()
  const issues: Issue[] = listNameIssues(name)
  const [passportsFields, productFields] = [parseList(form, 'p', issues), parseList(form, 's', issues)]
  if (issues.length > 0) throw createValidationProblem(issues)
  const ticked = letters.flatMap((letter) => form.rows[letter].filter((row) => row.isCertified).map((row) => row.name))
  const written = splitLines(form.paths)
  const chosen = new Set([...ticked, ...written])
  const kept = before.filter((path) => chosen.has(path))
  return { name, passportsFields, productFields, certifiedPaths: [...new Set([...kept, ...chosen])] }
}

const splitLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

function parseList(form: SheetForm, letter: ListLetter, issues: Issue[]): FieldDefinition[] {
  const path = fieldLists[letter]
  if (form.texts) {
    const list = parseJson(form.texts[letter].trim() === '' ? '[]' : form.texts[letter])
    if (Array.isArray(list)) return list as FieldDefinition[]
    issues.push({ path, code: 'json', message: 'must be a list of definitions in JSON' })
    return []
  }
  return form.rows[letter].map((row, at) => {
    const members = row.more === '' ? {} : parseJson(row.more)
    if (isObject(members)) return toDefinition(row, members)
    issues.push({ path: `${path}[${at}].more`, code: 'json', message: 'must be an object in JSON' })
    return toDefinition(row, {})
  })
}

/** Parses the label in other languages. What a line says before its first colon is a tag, whether it is one or not. */
function parseLabels({ label, labels }: FieldRow): LocalizedText {
  const others = splitLines(labels).map((line) => {
    const [tag = '', ...text] = line.split(':')
    return [tag.trim(), text.join(':').trim()]
  })
  return others.length === 0 ? label : Object.fromEntries([...(label === '' ? [] : [['en', label]]), ...others])
}

const toDefinition = (row: FieldRow, members: object): FieldDefinition => {
  const { name, type, isRequired, variants } = row
  const label = parseLabels(row)
  const words = splitLines(variants)
  return {
    ...members,
    name,
    type,
    ...(label !== '' && { label }),
    ...(isRequired && { required: true }),
    ...(type === 'enum' && words.length > 0 && { variants: words }),
  }
}
