import type { ArgumentBinding } from '../arguments/arguments.ts'
import { confirmKey, type ElicitationAnswer, type ElicitationQuestion, type ElicitationRefusal } from './elicitation.ts'
import type { ExposedOperation } from '../catalogue/operations.ts'
import type { ToolArguments } from '../arguments/request-factory.ts'
import { removeTitle } from '../catalogue/trim-schema.ts'
import { showInvisible } from '../arguments/show-invisible.ts'

/** The highest number of arguments that the question names. `maxValueLength`: the longest value, in characters. */
const maxFacts = 8
const maxValueLength = 80
/** The longest description of the consequences of a call, in characters. */
const maxDescriptionLength = 400

/**
 * Creates the question whether the person wants what a call would do. It names the action and its arguments: short
 * values are quoted, with all invisible characters written out. The description of the operation tells the
 * consequences.
 */
export function createConfirmationQuestion(
  { title, description }: Pick<ExposedOperation, 'title' | 'description'>,
  bindings: readonly ArgumentBinding[],
  args: ToolArguments,
): ElicitationQuestion {
  const facts = bindings.flatMap(({ argument }) => {
    const value = args[argument]
    return value === undefined ? [] : [`${argument} ${formatValue(value)}`]
  })
  const more = facts.length > maxFacts ? [`and ${facts.length - maxFacts} more arguments`] : []
  const about = [...facts.slice(0, maxFacts), ...more].join(', ')
  const what = about === '' ? title.replace(/[.]$/, '') : `${title.replace(/[.]$/, '')}: ${about}`
  const consequences = description === title || description === `${title}.` ? '' : removeTitle(title, description)
  const formDescription = cutAfterSentence(`Without this nothing is sent. ${consequences}`)
  return {
    key: confirmKey,
    message: `${what}. This cannot be undone.`,
    members: { confirm: { type: 'boolean', title: 'Do it', description: formDescription, default: false } },
    required: [confirmKey],
    requiresState: true,
    validateContent: ({ confirm }) =>
      typeof confirm === 'boolean' ? [] : [{ path: confirmKey, code: 'type', message: 'must be true or false' }],
  }
}

/** Returns as many whole sentences as fit. */
function cutAfterSentence(text: string): string {
  if (text.length <= maxDescriptionLength) return text.trim()
  return text.slice(0, text.lastIndexOf('. ', maxDescriptionLength) + 1)
}

/** Returns the reason for a refusal; null if the person confirmed. */
export function getConfirmationRefusal(answer: ElicitationAnswer): ElicitationRefusal | null {
  if (answer.action !== 'accept') return answer.action
  return answer.content[confirmKey] === true ? null : 'decline'
}

function formatValue(value: unknown): string {
  if (typeof value === 'string')
    return quoteValue(value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value)
  if (Array.isArray(value) && value.length > maxValueLength) return `(${value.length} entries)`
  const text = quoteValue(value)
  if (text.length <= maxValueLength) return text
  if (Array.isArray(value)) return `(${value.length} entries)`
  return `(${Object.keys(value as object).length} members)`
}

const quoteValue = (value: unknown) => showInvisible(JSON.stringify(value), false)
