import type { FieldDefinition } from '../../../features/dpp/index.ts'
import { chooseText, listTexts } from '../../../kernel/text/localized.ts'

type Named = Pick<FieldDefinition, 'name' | 'label'>

/** Returns what a field is called in the language of a member: its label, or its key if it has none. */
export const getFieldLabel = ({ name, label = '' }: Named, language: string): string =>
  chooseText(label, [language, 'en']).text || name

/** Lists everything that a column for a field may be called: its key, and its label in every language. */
export const listFieldNames = ({ name, label = '' }: Named): string[] =>
  [name, ...listTexts(label)].filter((text) => text !== '')

/** Returns the words of an enum, each with what a member reads for it. */
export const listVariants = (
  { variants = [], variantLabels = {} }: FieldDefinition,
  language: string,
): [word: string, label: string][] =>
  variants.map((word) => {
    const label = Object.hasOwn(variantLabels, word) ? variantLabels[word] : undefined
    return [word, (label === undefined ? '' : chooseText(label, [language, 'en']).text) || word]
  })
