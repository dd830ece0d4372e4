/**
 * What is not seen where a text is shown, yet read by a model: controls but tab and line ends, soft hyphens, marks of
 * direction, joiners, invisible operators, byte order marks, annotation marks, tags and supplementary variation selectors.
 * Source: Unicode 17, General_Category Cc and Cf, Default_Ignorable_Code_Point; UTS #39.
 */
const invisible = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5'
    + '\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
    + '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]',
  'gu',
)

/** Scripts and emoji are written with them, so that plain text keeps them. */
const joiners = new Set(['\u200c', '\u200d'])

const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, '0')

const named = (character: string) =>
  joiners.has(character) ? character : `[U+${hex(character.codePointAt(0) ?? 0, 4)}]`

/** The same character as JSON writes it without showing it. Source: RFC 8259, section 7. */
const escaped = (character: string) =>
  Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4).toLowerCase()}`).join('')

const mark = '\ufeff'

/**
 * A text in which nothing is hidden: in JSON an invisible character becomes its escape, which is the same value; in any
 * other text it becomes its name, `[U+202E]`. A byte order mark at the beginning is no part of the text and stays.
 */
export function visible(text: string, json: boolean): string {
  const at = text.startsWith(mark) ? 1 : 0
  return text.slice(0, at) + text.slice(at).replace(invisible, json ? escaped : named)
}
