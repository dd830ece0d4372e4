import { words, type Language } from '../../../core/languages/index.ts'

/** Where a phrase takes a number: the positions of its arguments. All other arguments are texts. */
const numberArguments: Readonly<Record<string, readonly number[]>> = {
  more: [0],
  'me.pointsAfter': [0],
  'me.pending': [0],
  'me.waiting': [0],
  'me.expiring': [0],
  'me.toNextTier': [0],
  'me.morePassports': [0],
  'code.mail': [2],
  'code.text': [2],
}

/** What writes a phrase, or the parts of a mail. */
type Phrase = (...values: unknown[]) => unknown

/** Creates what a phrase is called with: a number, or a text that shows where it went. */
const createArguments = (path: string, count: number, amount: number): unknown[] =>
  Array.from({ length: count }, (_, at) => (numberArguments[path]?.includes(at) ? amount : `{${at}}`))

/** Lists the phrases of a part of the words by their paths; those that take values with `{0}`, `{1}` and `amount` in their places. */
function listIn(part: unknown, path: string, amount: number): [string, string][] {
  if (part === null) return []
  // What is only a value, as the address of a link in a mail, has no words.
  if (typeof part === 'string') return /^\{\d\}$/.test(part) ? [] : [[path, part]]
  if (typeof part === 'function')
    return listIn((part as Phrase)(...createArguments(path, (part as Phrase).length, amount)), path, amount)
  return Object.entries(part as object).flatMap(([name, value]) =>
    listIn(value, path === '' ? name : `${path}.${name}`, amount),
  )
}

/** Lists all phrases of a language by their paths, such as `claiming.button`. */
export const listPhrases = (language: Language, amount = 3): ReadonlyMap<string, string> =>
  new Map(listIn(words[language], '', amount))

/** Lists the places of values in a phrase, in their order by name. */
export const listPlaces = (phrase: string): string[] => (phrase.match(/\{\d\}/g) ?? []).sort()
