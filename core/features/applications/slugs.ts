import { randomBytes } from 'node:crypto'

/** Longest slug made from a name; a suffix comes on top. */
const longest = 48

/** A slug from any text: `Käthe & Söhne` is `kathe-sohne`; empty where it has neither Latin letters nor digits. */
export function plainSlug(text: string): string {
  const words = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, longest).replace(/-+$/, '')
}

/** A slug from a name; one without Latin letters and digits is `application`. */
export const slugOf = (name: string): string => plainSlug(name) || 'application'

/** Slugs to try in turn: as the name says, then numbered, then with random letters that nobody has. */
export function* slugCandidates(name: string): Generator<string, never> {
  const slug = slugOf(name)
  yield slug
  for (let number = 2; number < 10; number += 1) yield `${slug}-${number}`
  for (;;) yield `${slug}-${randomBytes(5).toString('hex')}`
}
