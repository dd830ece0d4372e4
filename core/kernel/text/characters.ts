/**
 * Characters that a reader cannot see, or that change the direction of text: controls except tab and line ends, soft
 * hyphens, directional marks, invisible operators and fillers, byte order marks, annotation marks, tags and
 * supplementary variation selectors. Written as the inside of a character class of a regular expression with the flag
 * `u`. The bridge has a copy of this table, because it cannot import it; a test compares the two. Source: Unicode 17,
 * General_Category Cc and Cf, Default_Ignorable_Code_Point; UTS #39.
 */
const hiddenCharacters =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160'
  + '\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
  + '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

/** Joiners. They shape the letters of many scripts and join emoji; between Latin letters they are only invisible. */
const joiners = '\\u200c\\u200d'

const joinedPattern = `[^\\u0000-\\u02ff${hiddenCharacters}${joiners}][${joiners}]+`

function createNamePattern(characters: string): string {
  return `^ *(?:${joinedPattern}|[^\\s${characters}])(?:${joinedPattern}|[^${characters}])*$`
}

/** Message for a text that is not a valid name. */
export const nameIssueMessage =
  'must not be blank, nor have line ends or characters that are not seen or turn the direction of text'

const namePattern = new RegExp(createNamePattern(`\\u0009\\u000a\\u000d${hiddenCharacters}${joiners}`), 'u')
const cellNamePattern = new RegExp(
  createNamePattern(`${hiddenCharacters}${joiners}`).replace('^ *', '^[ \\t\\n\\r]*'),
  'u',
)
const hiddenPattern = new RegExp(`[${hiddenCharacters}]`, 'gu')
const hiddenOrJoinerPattern = new RegExp(`[${hiddenCharacters}${joiners}]`, 'u')

/**
 * Checks whether a text can be a name for people, which pages use as a heading or label: one line, not blank, and
 * without characters that are hidden or reverse text. A joiner may only follow a character that is no Latin letter,
 * digit or sign.
 */
export function isName(text: string): boolean {
  return namePattern.test(text)
}

/** Checks whether a spreadsheet cell can be a name. Tabs and line ends are allowed; a page shows them as blanks. */
export function isCellName(text: string): boolean {
  return cellNamePattern.test(text)
}

/**
 * The schema formats for names. A regular expression instead would need a thousand characters wherever a name occurs.
 */
export const nameFormats = { name: isName, 'cell-name': isCellName } as const

/** Checks whether a schema format is one of those for names. */
export const isNameFormat = (format: unknown): boolean => Object.hasOwn(nameFormats, String(format))

/** Checks whether a text has a hidden character, including joiners and soft hyphens. */
export function hasHiddenCharacters(text: string): boolean {
  return hiddenOrJoinerPattern.test(text)
}

/** Replaces hidden characters by their code, such as `[U+202E]`. Joiners stay, because scripts and emoji need them. */
export function escapeHiddenCharacters(text: string): string {
  return text.replace(
    hiddenPattern,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}
