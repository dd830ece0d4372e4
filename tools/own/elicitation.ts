import { DocumentError, isRecord, type Schema } from '../openapi.ts'
import type { ToolResult } from '../results/results.ts'
import type { Issue } from '../results/issues.ts'

/** The values that a person filled in, by the names of the members. */
export type ElicitationContent = Readonly<Record<string, unknown>>

/** A form for a person: flat members, each with a schema that elicitation allows. Source: MCP, elicitation. */
export interface ElicitationQuestion {
  /** The name of the question, unique within one call. */
  readonly key: string
  readonly message: string
  readonly members: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  /** True if an answer counts only with a state that this bridge sealed, as for a confirmation. */
  readonly requiresState: boolean
  /** A digest of what the question shows. An answer counts only for the same digest. */
  readonly digest?: string
  /** Returns the issues of an answer; empty if it fits. */
  readonly validateContent: (content: ElicitationContent) => readonly Issue[]
}

/** The reason for a missing answer. `unable`: the client declared that it can ask, but it could not. */
export type ElicitationRefusal = 'decline' | 'cancel' | 'unable'
export type ElicitationAnswer =
  | {
      readonly action: 'accept'
      readonly content: ElicitationContent
      /** A name of this answer that no other answer has. */
      readonly id?: string
    }
  | { readonly action: ElicitationRefusal }

/**
 * Asks a person; an accepted answer fits the form. Throws InputRequiredError if the answer comes with a later request.
 */
export type InputElicitor = (question: ElicitationQuestion) => Promise<ElicitationAnswer>

/** Ends the call; the client makes the call again with the answer. */
export class InputRequiredError extends Error {
  override name = 'InputRequiredError'
  readonly question: ElicitationQuestion

  constructor(question: ElicitationQuestion) {
    super(question.message)
    this.question = question
  }
}

/** One declared question of an operation: the arguments that the person fills in, by name. */
export interface QuestionDeclaration {
  readonly key: string
  readonly message: string
  readonly members: readonly string[]
}

/** The key of the question that confirms a call. */
export const confirmKey = 'confirm'

/** Reads the questions that `x-mcp-ask` declares. @throws DocumentError */
export function readQuestionDeclarations(value: unknown): QuestionDeclaration[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length === 0) throw new DocumentError('x-mcp-ask is not a list of questions')
  const declarations = value.map((entry: unknown, index) => readQuestionDeclaration(entry, `x-mcp-ask[${index}]`))
  const findRepeated = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) < index)
  const key = findRepeated([confirmKey, ...declarations.map((round) => round.key)])
  if (key !== undefined) throw new DocumentError(`x-mcp-ask has two questions ${key}`)
  const member = findRepeated(declarations.flatMap(({ members }) => members))
  if (member !== undefined) throw new DocumentError(`x-mcp-ask asks for ${member} twice`)
  return declarations
}

function readQuestionDeclaration(value: unknown, place: string): QuestionDeclaration {
  const { key, message, members } = isRecord(value) ? value : {}
  if (typeof key !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(key))
    throw new DocumentError(`${place}.key is not snake case`)
  if (typeof message !== 'string' || message.trim() === '') throw new DocumentError(`${place}.message is missing`)
  if (!Array.isArray(members) || members.length === 0 || !members.every((name) => typeof name === 'string'))
    throw new DocumentError(`${place}.members names no argument`)
  return { key, message, members }
}

/** Asks the questions one by one. @returns the answers by argument, or the reason for the first missing answer */
export async function askQuestions(
  questions: readonly ElicitationQuestion[],
  elicitInput: InputElicitor,
): Promise<{ given: ElicitationContent } | { silence: ElicitationRefusal }> {
  const entries: [string, unknown][] = []
  for (const question of questions) {
    const answer = await elicitInput(question)
    if (answer.action !== 'accept') return { silence: answer.action }
    entries.push(...Object.entries(pickFilledContent(question.members, answer.content)))
  }
  return { given: Object.fromEntries(entries) }
}

/** Picks the members of an answer that the form has. A null means that nothing was filled in. */
export function pickFilledContent(
  members: ElicitationQuestion['members'],
  content: ElicitationContent,
): ElicitationContent {
  return Object.fromEntries(
    Object.entries(content).filter(([name, value]) => Object.hasOwn(members, name) && value !== null),
  )
}

/** Creates the question again, with the issues of the last answer in its message. */
export function createRepeatedQuestion(question: ElicitationQuestion, issues: readonly Issue[]): ElicitationQuestion {
  const what = issues.map(({ path, message }) => `${path} ${message}`).join(', ')
  return { ...question, message: `${question.message} (The last answer does not fit: ${what}.)` }
}

/** Creates the question again, after what it is about has changed since the person saw it. */
export const createChangedQuestion = (question: ElicitationQuestion): ElicitationQuestion => ({
  ...question,
  message: `This has changed since you were asked. ${question.message}`,
})

/** Creates a question with one required choice. Each choice has a title; the answer is in `content.choice`. */
export function createChoiceQuestion(
  message: string,
  title: string,
  choices: readonly { readonly value: string; readonly title: string }[],
): ElicitationQuestion {
  const oneOf = choices.map((choice) => ({ const: choice.value, title: choice.title }))
  const fits = (value: unknown) => choices.some((choice) => choice.value === value)
  return {
    key: 'choice',
    message,
    members: { choice: { type: 'string', title, oneOf } },
    required: ['choice'],
    requiresState: false,
    validateContent: ({ choice }) =>
      fits(choice) ? [] : [{ path: 'choice', code: 'enum', message: 'must be one of those offered' }],
  }
}

const refusalTexts: Record<ElicitationRefusal, [state: string, text: string]> = {
  decline: ['declined', 'The user declined. Nothing was sent. Call again only when the user asks for it.'],
  cancel: ['cancelled', 'The user was asked and gave no answer. Nothing was sent. Ask the user whether to call again.'],
  unable: ['unable', 'The client could not ask the user. Nothing was sent.'],
}

/** Creates the result of a call that was not sent because a person did not answer or declined. */
export function createRefusalResult(silence: ElicitationRefusal): ToolResult {
  const [elicitation, text] = refusalTexts[silence]
  return { content: [{ type: 'text', text }], isError: true, _meta: { elicitation } }
}
