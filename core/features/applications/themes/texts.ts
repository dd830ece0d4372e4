import { chooseText, type ChosenText } from '../../../kernel/text/localized.ts'
import type { TextName, Theme } from './theme.schema.ts'

/** Returns the language in which an application shows a page: the reader's if it is offered, else its main one. */
export const chooseLanguage = <Name extends string>({ languages = [] }: Theme, wanted: Name): Name =>
  languages.length === 0 || (languages as readonly string[]).includes(wanted)
    ? wanted
    : (languages[0] as unknown as Name)

/**
 * Finds a text of the brand for a reader: in the reader's language, else in the first of the languages that the brand
 * offers its pages in, else in English, else in any that there is.
 * @param language the language of the page
 */
export function findText({ texts = {}, languages = [] }: Theme, name: TextName, language: string): ChosenText | null {
  const byLanguage = Object.fromEntries(
    Object.entries(texts).flatMap(([tag, all]) => (all[name] === undefined ? [] : [[tag, all[name]]])),
  )
  const chosen = chooseText(byLanguage, [language, ...languages.slice(0, 1), 'en'])
  return chosen.text === '' ? null : chosen
}
