import type { Catalogue } from '../tools/catalogue.ts'
import type { PromptEntry } from '../tools/prompt-operations.ts'

export type { PromptEntry }

export interface PromptResult {
  readonly description: string
  readonly messages: readonly { role: 'user'; content: { type: 'text'; text: string } }[]
}

export interface Prompt {
  readonly entry: PromptEntry
  /**
   * Throws PromptArgumentError.
   * @param given all of them are text: the protocol knows no other arguments of prompts.
   */
  readonly write: (given: Readonly<Record<string, string>>, catalogue: Catalogue) => PromptResult
}

/** An argument that cannot be taken. The message begins with its name. */
export class PromptArgumentError extends Error {
  override name = 'PromptArgumentError'
  readonly argument: string

  constructor(argument: string, message: string) {
    super(`${argument} ${message}`)
    this.argument = argument
  }
}
