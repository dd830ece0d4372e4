import { isDeepStrictEqual } from 'node:util'
import type { CertifiedContent } from '../certification/index.ts'
import { isObject } from './fields.judges.ts'
import type { FieldDefinition, FieldType } from './fields.schema.ts'

/** Members of a product that a page has words of its own for; the others are in its credential. */
export const toldMembers = [
  'description', 'modelNumber', 'batchNumber', 'itemNumber', 'gtin', 'productionDate', 'expiryDate', 'countryOfProduction',
  'producedAtFacility', 'productCategory', 'materialProvenance',
] as const
export type ToldMember = (typeof toldMembers)[number]

/** One value with the words that people read; members of an object and elements of a list have them too. */
export interface LabelledValue {
  /** Its key; of an element its place from 0. */
  name: string
  label: string
  /** Where the label is no text of the organization but one of the page's own words. */
  term?: ToldMember
  type: FieldType
  value: unknown
  members?: LabelledValue[]
  /** Of the uppermost ones: which parts of a credential may have it. */
  parts?: readonly (keyof CertifiedContent)[]
  /** Where `value` is made for people: what it was made from. */
  raw?: unknown
  /** Whether a credential says exactly this; of an object with a single certified member only that member has it. */
  certified?: true
}

/** Levels of objects that a page sets out; what is deeper stands as JSON. */
const mostLevels = 6

/** Values by the definitions of their fields. What has none of its own is named by its keys. */
export function labelledFields(
  definitions: readonly FieldDefinition[], values: Record<string, unknown>, parts: LabelledValue['parts'],
): LabelledValue[] {
  return labelled(definitions, values, 1).map((one) => ({ ...one, ...(parts && { parts }) }))
}

function labelled(
  definitions: readonly FieldDefinition[], values: Record<string, unknown>, level: number,
): LabelledValue[] {
  return definitions.flatMap((definition) => {
    const { name, label = name } = definition
    const value = Object.hasOwn(values, name) ? values[name] : null
    return value === undefined || value === null ? [] : [labelledOne(name, label, value, definition, level)]
  })
}

function labelledOne(
  name: string, label: string, value: unknown, definition: Partial<FieldDefinition>, level: number,
): LabelledValue {
  const members = level < mostLevels ? membersOf(value, definition, level + 1) : null
  return { name, label, type: definition.type ?? typeOf(value), value, ...(members && { members }) }
}

/** The definition may have become an object's after the value was stored. */
function membersOf(value: unknown, { fields, itemsType }: Partial<FieldDefinition>, level: number): LabelledValue[] | null {
  if (isObject(value)) {
    if (fields) return labelled(fields, value, level)
    return Object.entries(value).map(([name, member]) => labelledOne(name, name, member, {}, level))
  }
  if (!Array.isArray(value) || !value.some((item) => typeof item === 'object' && item !== null)) return null
  return value.map((item, at) => labelledOne(String(at), String(at + 1), item, itemsType ?? {}, level))
}

/** A value of free data. */
export const labelledData = (name: string, value: unknown): LabelledValue =>
  ({ ...labelledOne(name, name, value, {}, 1), parts: ['data'] })

const typeOf = (value: unknown): FieldType => (isAddress(value) ? 'url' : 'json')
const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)

/** What of the values a credential says too, member by member. A value that has changed since is not marked. */
export const marked = (values: readonly LabelledValue[], content: CertifiedContent): LabelledValue[] =>
  values.map((one) => {
    const found = (one.parts ?? []).map((part) => memberOf(content[part], one.name)).filter((each) => each !== undefined)
    return mark(one, found.find((each) => isDeepStrictEqual(each, rawOf(one))) ?? found.at(-1))
  })

const rawOf = (one: LabelledValue) => ('raw' in one ? one.raw : one.value)

function mark(one: LabelledValue, certified: unknown): LabelledValue {
  if (certified === undefined) return one
  if (isDeepStrictEqual(rawOf(one), certified)) return { ...one, certified: true }
  const { members } = one
  return members ? { ...one, members: members.map((member) => mark(member, memberOf(certified, member.name))) } : one
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] : undefined
