import type { Schema } from './openapi.ts'

/** A form for a person: flat members, each with a schema that elicitation allows. Source: MCP, elicitation. */
export interface Question {
  /** Names the question among those of one call. */
  readonly key: string
  readonly message: string
  readonly members: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  /** An answer counts only with a state that this bridge sealed, as for a confirmation. */
  readonly bound: boolean
}

/** Why there is no answer. `unable`: the client said that it can ask, and could not. */
export type Silence = 'decline' | 'cancel' | 'unable'
export type Answer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: Silence }

/** Asks a person. Throws InputNeeded where the answer comes with a later request. */
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

/** One required choice, each with a title to show; the answer is in `content.choice`. */
export function choiceQuestion(
  message: string,
  title: string,
  choices: readonly { readonly value: string; readonly title: string }[],
): Question {
  const oneOf = choices.map((choice) => ({ const: choice.value, title: choice.title }))
  return { key: 'choice', message, members: { choice: { type: 'string', title, oneOf } }, required: ['choice'], bound: false }
}
