import { randomBytes } from 'node:crypto'

/** Maximum length of a slug that is made from a name, without the suffix. */
const maxSlugLength = 48

/**
 * Converts any text to a slug: `Käthe & Söhne` becomes `kathe-sohne`. Returns an empty text if there are neither Latin
 * letters nor digits.
 */
export function toPlainSlug(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, maxSlugLength).replace(/-+$/, '')
}

/** Converts a name to a slug. A name without Latin letters and digits becomes `application`. */
export const createSlug = (name: string): string => toPlainSlug(name) || 'application'

/**
 * Lists slugs to try in turn: first from the name alone, then with a number, then with a random suffix that nobody has.
 */
export function* listSlugCandidates(name: string): Generator<string, never> {
  const slug = createSlug(name)
  yield slug
  for (let number = 2; number < 10; number += 1) yield `${slug}-${number}`
  for (;;) yield `${slug}-${randomBytes(5).toString('hex')}`
}
