import type { Binding } from './arguments.ts'
import { confirmKey, type Answer, type Question, type Silence } from './asking.ts'
import type { ExposedOperation } from './operations.ts'
import type { Arguments } from './prepare.ts'
import { withoutTitle } from './trim.ts'
import { visible } from './visible.ts'

/** What a sentence for a person has room for. */
const mostFacts = 8
const longest = 80
/** Of what follows from a call, in characters. */
const mostText = 400

/**
 * Whether the person wants what a call would do. It names what is done and with what, in the caller's own words where
 * they are short: quoted, with every sign that cannot be seen written out. What follows from it, the document says.
 */
export function confirmQuestion(
  { title, description }: Pick<ExposedOperation, 'title' | 'description'>,
  bindings: readonly Binding[],
  given: Arguments,
): Question {
  const facts = bindings.flatMap(({ argument }) => {
    const value = given[argument]
    return value === undefined ? [] : [`${argument} ${shown(value)}`]
  })
  const more = facts.length > mostFacts ? [`and ${facts.length - mostFacts} more arguments`] : []
  const about = [...facts.slice(0, mostFacts), ...more].join(', ')
  const what = about === '' ? title.replace(/[.]$/, '') : `${title.replace(/[.]$/, '')}: ${about}`
  const follows = description === title || description === `${title}.` ? '' : withoutTitle(title, description)
  const told = beginning(`Without this nothing is sent. ${follows}`)
  return {
    key: confirmKey,
    message: `${what}. This cannot be undone.`,
    members: { confirm: { type: 'boolean', title: 'Do it', description: told, default: false } },
    required: [confirmKey],
    bound: true,
    judge: ({ confirm }) =>
      typeof confirm === 'boolean' ? [] : [{ path: confirmKey, code: 'type', message: 'must be true or false' }],
  }
}

/** Whole sentences, as many as there is room for. */
function beginning(text: string): string {
  if (text.length <= mostText) return text.trim()
  return text.slice(0, text.lastIndexOf('. ', mostText) + 1)
}

/** Null where the person wants it. */
export function notConfirmed(answer: Answer): Silence | null {
  if (answer.action !== 'accept') return answer.action
  return answer.content[confirmKey] === true ? null : 'decline'
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value.length > longest ? `${value.slice(0, longest)}…` : value)
  if (Array.isArray(value) && value.length > longest) return `(${value.length} entries)`
  const text = quoted(value)
  if (text.length <= longest) return text
  if (Array.isArray(value)) return `(${value.length} entries)`
  return `(${Object.keys(value as object).length} members)`
}

const quoted = (value: unknown) => visible(JSON.stringify(value), false)
