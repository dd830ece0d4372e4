/**
 * Characters that a reader does not see, or that turn the direction of what they see: controls but tab and line ends,
 * soft hyphens, marks of direction, invisible operators and fillers, byte order marks, annotation marks, tags and
 * supplementary variation selectors. As the inside of a class of a regular expression with the flag `u`. The bridge has
 * the same table, which it cannot import; a test holds the two together.
 * Source: Unicode 17, General_Category Cc and Cf, Default_Ignorable_Code_Point; UTS #39.
 */
const hidden = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160'
  + '\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
  + '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

/** Joiners shape the letters of many scripts and join emoji; between Latin letters they only hide. */
const joiners = '\\u200c\\u200d'

const joined = `[^\\u0000-\\u02ff${hidden}${joiners}][${joiners}]+`

function patternWithout(characters: string): string {
  return `^ *(?:${joined}|[^\\s${characters}])(?:${joined}|[^${characters}])*$`
}

/** What is wrong with a text that is no name. */
export const nameFault = 'must not be blank, nor have line ends or characters that are not seen or turn the direction of text'

const name = new RegExp(patternWithout(`\\u0009\\u000a\\u000d${hidden}${joiners}`), 'u')
const cellName = new RegExp(patternWithout(`${hidden}${joiners}`).replace('^ *', '^[ \\t\\n\\r]*'), 'u')
const everyHidden = new RegExp(`[${hidden}]`, 'gu')
const anyHidden = new RegExp(`[${hidden}${joiners}]`, 'u')

/**
 * Says whether a text can be a name for people, which pages use as a heading or a label: one line, not all blank, without
 * characters that hide or turn what is read. A joiner may follow a character that is no Latin letter, digit or sign.
 */
export function isName(text: string): boolean {
  return name.test(text)
}

/** Says the same of what spreadsheets bring, whose cells have tabs and line ends; a page shows them as blanks. */
export function isCellName(text: string): boolean {
  return cellName.test(text)
}

/** The formats of names in schemas. A pattern would say the same in a thousand characters wherever a name stands. */
export const nameFormats = { name: isName, 'cell-name': isCellName } as const

/** Says whether a format of a schema is one of names. */
export const isNameFormat = (format: unknown): boolean => Object.hasOwn(nameFormats, String(format))

/** Says whether a text has a character that is not seen, joiners and soft hyphens among them. */
export function hasHidden(text: string): boolean {
  return anyHidden.test(text)
}

/** Shows hidden characters by their code, as `[U+202E]`; joiners stay, as scripts and emoji are written with them. */
export function showHidden(text: string): string {
  return text.replace(everyHidden, (character) =>
    `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
}
