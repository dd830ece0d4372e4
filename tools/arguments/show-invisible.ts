/**
 * Matches the characters that readers do not see but models read: control characters except tab and line ends, soft
 * hyphens, direction marks, joiners, invisible operators, byte order marks, annotation marks, tags and supplementary
 * variation selectors.
 * Source: Unicode 17, General_Category Cc and Cf, Default_Ignorable_Code_Point; UTS #39.
 */
const invisibleCharacters = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5'
    + '\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
    + '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]',
  'gu',
)

/** Joiners stay in plain text, because some scripts and emoji need them. */
const joiners = new Set(['\u200c', '\u200d'])

const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, '0')

const nameCharacter = (character: string) =>
  joiners.has(character) ? character : `[U+${hex(character.codePointAt(0) ?? 0, 4)}]`

/** Escapes a character as JSON does, so that it is visible. Source: RFC 8259, section 7. */
const escapeCharacter = (character: string) =>
  Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4).toLowerCase()}`).join('')

const byteOrderMark = '\ufeff'

/**
 * Makes the invisible characters of a text visible: in JSON each becomes its escape, which keeps the value; in other
 * texts each becomes its name, `[U+202E]`. A byte order mark at the beginning is not part of the text and stays.
 */
export function showInvisible(text: string, json: boolean): string {
  const at = text.startsWith(byteOrderMark) ? 1 : 0
  return text.slice(0, at) + text.slice(at).replace(invisibleCharacters, json ? escapeCharacter : nameCharacter)
}

/** Keywords whose value is a text for readers, or a list of such texts, in schemas and in operations. */
const textKeywords = new Set(['title', 'description', 'summary', 'message', 'guide', 'instructions', 'enumNames'])
/** Keywords whose value is data, which stays as it is. */
const dataKeywords = new Set(['const', 'enum', 'default', 'example', 'examples', 'value', 'pattern'])
/** Keywords whose value has members with names of their own, which are no keywords. */
const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas', 'schemas'])

/**
 * Makes the invisible characters visible in the titles and descriptions of a document, schema or block. Data in it,
 * such as allowed values, stays as it is. Whatever has no such character is returned itself.
 */
export const showInvisibleTexts = <T>(value: T): T => changeTexts(value, false) as T

/** @param isMap the members have names of their own */
function changeTexts(value: unknown, isMap: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => changeTexts(entry, false))
    return entries.some((entry, index) => entry !== value[index]) ? entries : value
  }
  const members = Object.entries(value) as [string, unknown][]
  const changed = members.map(([name, member]) => (isMap ? changeTexts(member, false) : changeKeyword(name, member)))
  if (changed.every((member, index) => member === members[index]?.[1])) return value
  return Object.fromEntries(members.map(([name], index) => [name, changed[index]]))
}

function changeKeyword(name: string, value: unknown): unknown {
  if (dataKeywords.has(name)) return value
  if (!textKeywords.has(name)) return changeTexts(value, mapKeywords.has(name))
  if (typeof value === 'string') return showInvisible(value, false)
  if (!Array.isArray(value)) return changeTexts(value, false)
  return value.map((text: unknown) => (typeof text === 'string' ? showInvisible(text, false) : text))
}
