import type { Catalogue } from '../tools/catalogue/catalogue.ts'
import type { PromptEntry } from '../tools/catalogue/prompt-operations.ts'

export type { PromptEntry }

export interface PromptResult {
  readonly description: string
  readonly messages: readonly { role: 'user'; content: { type: 'text'; text: string } }[]
}

export interface Prompt {
  readonly entry: PromptEntry
  /** Returns the allowed values of the arguments that have a fixed list. */
  readonly listChoices: (catalogue: Catalogue) => ReadonlyMap<string, readonly string[]>
  /**
   * Creates the messages of the prompt. Throws PromptArgumentError of `demo/argument-error.ts`.
   * @param texts the arguments, which are all text because the protocol knows no other arguments of prompts
   */
  readonly createResult: (texts: Readonly<Record<string, string>>, catalogue: Catalogue) => PromptResult
}
