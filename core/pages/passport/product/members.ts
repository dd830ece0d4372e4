import type { LabelledValue } from '../../../features/dpp/index.ts'
import { words, type Language } from '../../../languages/index.ts'

/** Finds a member of an object by its name. */
export const findMember = (value: LabelledValue | undefined, name: string): LabelledValue | undefined =>
  value?.members?.find((member) => member.name === name)

/** Returns the text of a member of an object; null if there is none. */
export function getText(value: LabelledValue | undefined, name: string): string | null {
  const text = findMember(value, name)?.value
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

/** Returns the number of a member of an object; null if there is none. */
export function getNumber(value: LabelledValue | undefined, name: string): number | null {
  const number = findMember(value, name)?.value
  return typeof number === 'number' ? number : null
}

/** Returns the elements of a list of objects. */
export const listElements = (value: LabelledValue | undefined): readonly LabelledValue[] =>
  Array.isArray(value?.value) ? (value.members ?? []) : []

/** Finds a word by a name that a brand wrote, which may be any name: only what the list has itself counts. */
export const findWord = (list: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(list, name) ? list[name] : undefined

/** Returns the name of a member for people: our word for it, or its own name in words. */
export const getMemberLabel = (name: string, language: Language): string =>
  findWord(words[language].product.members, name) ?? splitName(name)

/** Splits a name as programs write it into words: `recycledShare` and `recycled_share` become "Recycled share". */
export function splitName(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replaceAll(/_+/g, ' ')
    .trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
