import { Type, nameText, type TSchema } from '../schema.ts'

/**
 * A text of a brand: plain, or by its languages. The languages are a map from their tags to the text, because that is
 * how JSON-LD writes what it says in several languages: the keys of the map are the tags, and a plain text stays as valid
 * as it was. A list of objects that each have a tag would allow the same language twice.
 * Source: JSON-LD 1.1, "Language Maps"; RFC 5646 (BCP 47).
 */
export type LocalizedText = string | Readonly<Record<string, string>>

/**
 * The tag of a language as RFC 5646 recommends to write it: language, then perhaps script and region. A tag has one
 * spelling only, so that a merge patch always finds the member that it changes. Source: RFC 5646, section 2.1.1.
 */
export const languageTagPattern = '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'

/** The most languages of a text. */
const maxLanguages = 30

/** Creates the schema of a map from the tags of languages. */
export const languageMap = <S extends TSchema>(value: S, description: string) =>
  Type.Unsafe<Record<string, Type.Static<S>>>(
    Type.Record(Type.String({ pattern: languageTagPattern }), value, {
      additionalProperties: false,
      maxProperties: maxLanguages,
      description,
    }),
  )

/** Creates the schema of a name that may be said in several languages. */
export const localizedName = (description: string, options: Record<string, unknown> = {}) =>
  Type.Unsafe<LocalizedText>(
    Type.Union([Type.String({ ...options }), languageMap(nameText('In this language.', options), description)], {
      description,
    }),
  )

/** Returns the language of a tag without script and region. */
export const getPrimaryLanguage = (tag: string): string => tag.split('-', 1)[0] ?? tag

/**
 * Finds which of the tags serves a reader best: the tag itself, then a shorter one, then any of the same language. A
 * reader of `fr` understands a text in `fr-CA`. Source: RFC 4647, section 3.4, "Lookup".
 */
export function findTag(tags: readonly string[], wanted: string): string | undefined {
  const parts = wanted.split('-')
  const ranges = parts.map((_, at) => parts.slice(0, parts.length - at).join('-'))
  const exact = ranges.find((range) => tags.includes(range))
  return exact ?? tags.find((tag) => getPrimaryLanguage(tag) === getPrimaryLanguage(wanted))
}

/** A text that was chosen for a reader. */
export interface ChosenText {
  text: string
  /** The tag of its language; null for a plain text, which says none. */
  tag: string | null
}

/**
 * Chooses the text for a reader. @param wanted the languages, the reader's own first; where the text has none of them,
 * its first one serves
 */
export function chooseText(text: LocalizedText, wanted: readonly string[]): ChosenText {
  if (typeof text === 'string') return { text, tag: null }
  const tags = Object.keys(text).filter((tag) => text[tag] !== '')
  const tag = wanted.map((each) => findTag(tags, each)).find((each) => each !== undefined) ?? tags[0]
  return tag === undefined ? { text: '', tag: null } : { text: text[tag] ?? '', tag }
}

/** Lists all texts of a text, whatever their language. */
export const listTexts = (text: LocalizedText): string[] => (typeof text === 'string' ? [text] : Object.values(text))

const tagExpression = new RegExp(languageTagPattern)

/** Says what is wrong with a map of languages, by its tag; undefined if it is one. @param isText judges each text */
export function findMapIssue(
  value: object,
  isText: (text: unknown) => boolean,
): { tag: string; kind: 'tag' | 'text' | 'empty' | 'many' } | undefined {
  const entries = Object.entries(value)
  if (entries.length === 0) return { tag: '', kind: 'empty' }
  if (entries.length > maxLanguages) return { tag: '', kind: 'many' }
  const wrongTag = entries.find(([tag]) => !tagExpression.test(tag))
  if (wrongTag) return { tag: wrongTag[0], kind: 'tag' }
  const wrongText = entries.find(([, text]) => !isText(text))
  return wrongText && { tag: wrongText[0], kind: 'text' }
}
