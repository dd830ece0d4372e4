import { DocumentError, isRecord, type Schema } from './openapi.ts'
import type { ToolResult } from './results.ts'
import type { Violation } from './violations.ts'

/** What a person filled in, by name of the member. */
export type Content = Readonly<Record<string, unknown>>

/** A form for a person: flat members, each with a schema that elicitation allows. Source: MCP, elicitation. */
export interface Question {
  /** Names the question among those of one call. */
  readonly key: string
  readonly message: string
  readonly members: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  /** An answer counts only with a state that this bridge sealed, as for a confirmation. */
  readonly bound: boolean
  /** What is wrong with an answer; empty where it fits. */
  readonly judge: (content: Content) => readonly Violation[]
}

/** Why there is no answer. `unable`: the client said that it can ask, and could not. */
export type Silence = 'decline' | 'cancel' | 'unable'
export type Answer = { readonly action: 'accept'; readonly content: Content } | { readonly action: Silence }

/** Asks a person; an accepted answer fits the form. Throws InputNeeded where the answer comes with a later request. */
export type Ask = (question: Question) => Promise<Answer>

/** The call ends here and is made again with the answer. */
export class InputNeeded extends Error {
  override name = 'InputNeeded'
  readonly question: Question

  constructor(question: Question) {
    super(question.message)
    this.question = question
  }
}

/** One question of an operation: what the person fills in, by names of its arguments. */
export interface Round {
  readonly key: string
  readonly message: string
  readonly members: readonly string[]
}

/** The key of the question that confirms a call. */
export const confirmKey = 'confirm'

/** The rounds that `x-mcp-ask` states. Throws DocumentError. */
export function readRounds(value: unknown): Round[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length === 0) throw new DocumentError('x-mcp-ask is not a list of questions')
  const rounds = value.map((entry: unknown, index) => readRound(entry, `x-mcp-ask[${index}]`))
  const twice = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) < index)
  const key = twice([confirmKey, ...rounds.map((round) => round.key)])
  if (key !== undefined) throw new DocumentError(`x-mcp-ask has two questions ${key}`)
  const member = twice(rounds.flatMap(({ members }) => members))
  if (member !== undefined) throw new DocumentError(`x-mcp-ask asks for ${member} twice`)
  return rounds
}

function readRound(value: unknown, place: string): Round {
  const { key, message, members } = isRecord(value) ? value : {}
  if (typeof key !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(key))
    throw new DocumentError(`${place}.key is not snake case`)
  if (typeof message !== 'string' || message.trim() === '') throw new DocumentError(`${place}.message is missing`)
  if (!Array.isArray(members) || members.length === 0 || !members.every((name) => typeof name === 'string'))
    throw new DocumentError(`${place}.members names no argument`)
  return { key, message, members }
}

/** Asks one question after the other. @returns what was answered, by argument; or why the rest was not. */
export async function askAll(
  questions: readonly Question[],
  ask: Ask,
): Promise<{ given: Content } | { silence: Silence }> {
  const given: [string, unknown][] = []
  for (const question of questions) {
    const answer = await ask(question)
    if (answer.action !== 'accept') return { silence: answer.action }
    given.push(...Object.entries(filledIn(question.members, answer.content)))
  }
  return { given: Object.fromEntries(given) }
}

/** Of an answer, the members that the form has. A null says that nothing was filled in. */
export function filledIn(members: Question['members'], content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).filter(([name, value]) => Object.hasOwn(members, name) && value !== null),
  )
}

/** The same question for somebody whose answer did not fit. */
export function askedAgain(question: Question, wrong: readonly Violation[]): Question {
  const what = wrong.map(({ path, message }) => `${path} ${message}`).join(', ')
  return { ...question, message: `${question.message} (The last answer does not fit: ${what}.)` }
}

/** One required choice, each with a title to show; the answer is in `content.choice`. */
export function choiceQuestion(
  message: string,
  title: string,
  choices: readonly { readonly value: string; readonly title: string }[],
): Question {
  const oneOf = choices.map((choice) => ({ const: choice.value, title: choice.title }))
  const fits = (value: unknown) => choices.some((choice) => choice.value === value)
  return {
    key: 'choice',
    message,
    members: { choice: { type: 'string', title, oneOf } },
    required: ['choice'],
    bound: false,
    judge: ({ choice }) =>
      fits(choice) ? [] : [{ path: 'choice', code: 'enum', message: 'must be one of those offered' }],
  }
}

const silences: Record<Silence, [state: string, text: string]> = {
  decline: ['declined', 'The user declined. Nothing was sent. Call again only when the user asks for it.'],
  cancel: ['cancelled', 'The user was asked and gave no answer. Nothing was sent. Ask the user whether to call again.'],
  unable: ['unable', 'The client could not ask the user. Nothing was sent.'],
}

/** The result of a call that a person did not let pass. */
export function unanswered(silence: Silence): ToolResult {
  const [elicitation, text] = silences[silence]
  return { content: [{ type: 'text', text }], isError: true, _meta: { elicitation } }
}
