import type { FieldDefinition } from '../../../../features/dpp/index.ts'
import { isObject, parseJson } from '../../../../kernel/json/values.ts'
import type { Issue } from '../../../../kernel/problem.ts'
import {
  getCountControl,
  getItemControl,
  getItemCount,
  getOpenControl,
  getRestControl,
  joinControl,
  type FormTexts,
} from './controls.ts'

type Values = Record<string, unknown>
type Texts = Record<string, string>

const formatJson = (value: unknown): string => JSON.stringify(value, null, 2)

/** Writes values into the texts of a form. @param control the control of the object that has them */
export function writeMembers(
  texts: Texts,
  control: string,
  values: Values,
  definitions: readonly FieldDefinition[],
): void {
  const known = new Set(definitions.map(({ name }) => name))
  for (const definition of definitions) {
    const value = Object.hasOwn(values, definition.name) ? values[definition.name] : undefined
    if (value !== undefined && value !== null)
      writeValue(texts, joinControl(control, definition.name), value, definition)
  }
  const rest = Object.entries(values).filter(([name, value]) => !known.has(name) && value !== null)
  if (rest.length > 0) texts[getRestControl(control)] = formatJson(Object.fromEntries(rest))
}

function writeValue(texts: Texts, control: string, value: unknown, definition: FieldDefinition): void {
  const { type, fields = [], itemsType } = definition
  if (type === 'object' && isObject(value)) {
    texts[getOpenControl(control)] = '1'
    return writeMembers(texts, control, value, fields)
  }
  if (type === 'array' && itemsType && Array.isArray(value)) {
    texts[getCountControl(control)] = String(value.length)
    for (const [index, item] of value.entries())
      if (item !== null) writeValue(texts, getItemControl(control, index), item, itemsType)
    return
  }
  // A value that does not fit its definition, which may have changed since, is shown as it is.
  texts[control] =
    type !== 'json' && typeof value === 'string'
      ? value
      : type === 'json' || typeof value === 'object'
        ? formatJson(value)
        : String(value)
}

/** What a form says: the content, which control each path of it came from, and texts that could not be read. */
export interface ParsedForm {
  controls: Map<string, string>
  issues: Issue[]
}

/** A place in a form and in the content that is made of it. */
interface Place {
  control: string
  path: string
}

/**
 * Reads the members of an object from a form. What was left empty is absent. Texts that are no number are kept, so that
 * the rules of the API refuse them with their own message.
 */
export function readMembers(
  texts: FormTexts,
  { control, path }: Place,
  definitions: readonly FieldDefinition[],
  parsed: ParsedForm,
): Values {
  const values = new Map<string, unknown>(readRest(texts, { control, path }, parsed))
  for (const definition of definitions) {
    const { name } = definition
    const place = { control: joinControl(control, name), path: `${path}.${name}` }
    const value = readValue(texts, place, definition, parsed)
    if (value !== undefined) values.set(name, value)
  }
  return Object.fromEntries(values)
}

function readRest(texts: FormTexts, { control, path }: Place, parsed: ParsedForm): [string, unknown][] {
  const name = getRestControl(control)
  const text = (texts[name] ?? '').trim()
  if (text === '') return []
  const rest = parseJson(text)
  if (!isObject(rest)) {
    parsed.controls.set(`${path}~r`, name)
    parsed.issues.push({ path: `${path}~r`, code: 'json', message: 'must be a JSON object' })
    return []
  }
  for (const member of Object.keys(rest)) parsed.controls.set(`${path}.${member}`, name)
  return Object.entries(rest)
}

function readValue(texts: FormTexts, place: Place, definition: FieldDefinition, parsed: ParsedForm): unknown {
  const { control, path } = place
  parsed.controls.set(path, control)
  const { type, fields = [], itemsType, required } = definition
  if (type === 'object') {
    const members = readMembers(texts, place, fields, parsed)
    const isThere = Object.keys(members).length > 0 || (required === true && texts[getOpenControl(control)] === '1')
    return isThere ? members : undefined
  }
  if (type === 'array' && itemsType) return readItems(texts, place, itemsType, parsed)
  return readScalar(texts[control] ?? '', place, type, parsed)
}

function readItems(
  texts: FormTexts,
  { control, path }: Place,
  itemsType: FieldDefinition,
  parsed: ParsedForm,
): unknown {
  const items: unknown[] = []
  for (let index = 0; index < getItemCount(texts, control); index++) {
    const place = { control: getItemControl(control, index), path: `${path}[${items.length}]` }
    const item = readValue(texts, place, itemsType, parsed)
    if (item !== undefined) items.push(item)
  }
  return items.length > 0 ? items : undefined
}

function readScalar(text: string, { path }: Place, type: FieldDefinition['type'], parsed: ParsedForm): unknown {
  if (text.trim() === '') return undefined
  if (type === 'number') {
    const number = text.trim().replace(',', '.')
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(number) ? Number(number) : text
  }
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'json') {
    const value = parseJson(text)
    if (value === undefined) parsed.issues.push({ path, code: 'json', message: 'must be JSON' })
    return value
  }
  // A browser ends lines as mail does; the content has line feeds.
  const lines = text.replaceAll('\r\n', '\n')
  return type === 'text' || type === 'string' ? lines : lines.trim()
}
