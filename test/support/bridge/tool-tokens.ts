import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { ToolEntry } from '../../../tools/catalogue/catalogue.ts'

/**
 * Counts the tokens (o200k) that a list of tools takes in a model's context: as one JSON text of what a client passes
 * on.
 */
export const countToolTokens = (tools: readonly ToolEntry[]) =>
  countTokens(
    JSON.stringify(
      tools.map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })),
    ),
  )

/** Counts the tokens (o200k) of a text. */
export const countTextTokens = (text: string) => countTokens(text)
