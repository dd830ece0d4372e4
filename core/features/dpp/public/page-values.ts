import { isDeepStrictEqual } from 'node:util'
import type { CertifiedContent } from '../../certification/index.ts'
import { chooseText, type ChosenText } from '../../../kernel/text/localized.ts'
import { type FieldDefinition, type FieldType, isObject } from '../fields/index.ts'

/** One value with labels for people; members of an object and elements of a list have labels too. */
export interface LabelledValue {
  /** The key of the value; for an element of a list its index, from 0. */
  name: string
  label: string
  /** The tag of the label's language, where the label is said in several. */
  labelTag?: string
  /** What people read for one of the words of an enum. */
  shown?: ChosenText
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

/** Where values stand that are labelled, and for whom. */
interface LabelPlace {
  level: number
  /** The language of the reader. */
  language: string
}

/**
 * Labels values by the definitions of their fields. A value without a definition is labelled with its key.
 * @param language the language of the reader; a label that is not said in it is in English, or as it is
 */
export function labelFields(
  definitions: readonly FieldDefinition[],
  values: Record<string, unknown>,
  { parts, language = 'en' }: { parts: LabelledValue['parts']; language?: string },
): LabelledValue[] {
  return labelValues(definitions, values, { level: 1, language }).map((one) => ({ ...one, ...(parts && { parts }) }))
}

function labelValues(
  definitions: readonly FieldDefinition[],
  values: Record<string, unknown>,
  place: LabelPlace,
): LabelledValue[] {
  return definitions.flatMap((definition) => {
    const { name } = definition
    const value = Object.hasOwn(values, name) ? values[name] : null
    return value === undefined || value === null ? [] : [labelValue({ name, value }, definition, place)]
  })
}

function labelValue(
  { name, value, label = name }: { name: string; value: unknown; label?: string },
  definition: Partial<FieldDefinition>,
  place: LabelPlace,
): LabelledValue {
  const { level, language } = place
  const members = level < maxLevels ? labelMembers(value, definition, { language, level: level + 1 }) : null
  const chosen = chooseText(definition.label ?? label, [language, 'en'])
  const shown = findVariantLabel(value, definition, language)
  return {
    name,
    label: chosen.text,
    ...(chosen.tag !== null && { labelTag: chosen.tag }),
    ...(shown && { shown }),
    type: definition.type ?? guessType(value),
    value,
    ...(members && { members }),
  }
}

/** Finds what people read for a word of an enum; null where the word is for people itself. */
function findVariantLabel(
  value: unknown,
  { variantLabels = {} }: Partial<FieldDefinition>,
  language: string,
): ChosenText | null {
  const label = typeof value === 'string' && Object.hasOwn(variantLabels, value) ? variantLabels[value] : undefined
  return label === undefined ? null : chooseText(label, [language, 'en'])
}

/**
 * Labels the members of an object or the elements of a list; null for other values. The value may not fit its
 * definition, which may have changed after the value was stored.
 */
function labelMembers(
  value: unknown,
  { fields, itemsType }: Partial<FieldDefinition>,
  place: LabelPlace,
): LabelledValue[] | null {
  if (isObject(value)) {
    if (fields) return labelValues(fields, value, place)
    return Object.entries(value).map(([name, member]) => labelValue({ name, value: member }, {}, place))
  }
  if (!Array.isArray(value) || !value.some((item) => typeof item === 'object' && item !== null)) return null
  // An element has a number and no label of its own, which all of them would share.
  const { label: _, ...ofElements }: Partial<FieldDefinition> = itemsType ?? {}
  return value.map((item, at) =>
    labelValue({ name: String(at), value: item, label: String(at + 1) }, ofElements, place),
  )
}

/** Labels a value of free data. */
export const labelData = (name: string, value: unknown): LabelledValue => ({
  ...labelValue({ name, value }, {}, { level: 1, language: 'en' }),
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
