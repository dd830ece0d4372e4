import { isDeepStrictEqual } from 'node:util'
import type { CertifiedContent } from '../../certification/index.ts'
import { type FieldDefinition, type FieldType, isObject } from '../fields/index.ts'

/** One value with labels for people; members of an object and elements of a list have labels too. */
export interface LabelledValue {
  /** The key of the value; for an element of a list its index, from 0. */
  name: string
  label: string
  type: FieldType
  value: unknown
  members?: LabelledValue[]
  /** The parts of a credential that may have the value; only for values at the top level. */
  parts?: readonly (keyof CertifiedContent)[]
  /**
   * True if a credential says exactly this value. If only a single member of an object is certified, only that member
   * has it.
   */
  certified?: true
}

/** The maximum level of objects that a page lists member by member; deeper objects are shown as JSON. */
const maxLevels = 6

/** Labels values by the definitions of their fields. A value without a definition is labelled with its key. */
export function labelFields(
  definitions: readonly FieldDefinition[],
  values: Record<string, unknown>,
  parts: LabelledValue['parts'],
): LabelledValue[] {
  return labelValues(definitions, values, 1).map((one) => ({ ...one, ...(parts && { parts }) }))
}

function labelValues(
  definitions: readonly FieldDefinition[],
  values: Record<string, unknown>,
  level: number,
): LabelledValue[] {
  return definitions.flatMap((definition) => {
    const { name, label = name } = definition
    const value = Object.hasOwn(values, name) ? values[name] : null
    return value === undefined || value === null ? [] : [labelValue(name, label, value, definition, level)]
  })
}

function labelValue(
  name: string,
  label: string,
  value: unknown,
  definition: Partial<FieldDefinition>,
  level: number,
): LabelledValue {
  const members = level < maxLevels ? labelMembers(value, definition, level + 1) : null
  return { name, label, type: definition.type ?? guessType(value), value, ...(members && { members }) }
}

/**
 * Labels the members of an object or the elements of a list; null for other values. The value may not fit its
 * definition, which may have changed after the value was stored.
 */
function labelMembers(
  value: unknown,
  { fields, itemsType }: Partial<FieldDefinition>,
  level: number,
): LabelledValue[] | null {
  if (isObject(value)) {
    if (fields) return labelValues(fields, value, level)
    return Object.entries(value).map(([name, member]) => labelValue(name, name, member, {}, level))
  }
  if (!Array.isArray(value) || !value.some((item) => typeof item === 'object' && item !== null)) return null
  return value.map((item, at) => labelValue(String(at), String(at + 1), item, itemsType ?? {}, level))
}

/** Labels a value of free data. */
export const labelData = (name: string, value: unknown): LabelledValue => ({
  ...labelValue(name, name, value, {}, 1),
  parts: ['data'],
})

const guessType = (value: unknown): FieldType => (isAddress(value) ? 'url' : 'json')
const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)

/** Marks the values that a credential confirms, member by member. A value that has changed since is not marked. */
export const markCertified = (values: readonly LabelledValue[], content: CertifiedContent): LabelledValue[] =>
  values.map((one) => {
    const found = (one.parts ?? [])
      .map((part) => getMember(content[part], one.name))
      .filter((each) => each !== undefined)
    return markValue(one, found.find((each) => isDeepStrictEqual(each, one.value)) ?? found.at(-1))
  })

function markValue(one: LabelledValue, certified: unknown): LabelledValue {
  if (certified === undefined) return one
  if (isDeepStrictEqual(one.value, certified)) return { ...one, certified: true }
  const { members } = one
  return members
    ? { ...one, members: members.map((member) => markValue(member, getMember(certified, member.name))) }
    : one
}

/** Returns a member of an object or an element of a list; undefined if there is none of its own. */
export const getMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
