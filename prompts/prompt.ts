import type { Catalogue } from '../tools/catalogue.ts'

/** A prompt as `prompts/list` shows it. Source: MCP, prompts. */
export interface PromptEntry {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
}

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
