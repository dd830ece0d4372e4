import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { ToolEntry } from '../../tools/catalogue.ts'

/** Tokens (o200k) that a list of tools takes of a model's context: what a client hands on of each, as one JSON text. */
export const tokensOf = (tools: readonly ToolEntry[]) =>
  countTokens(
    JSON.stringify(
      tools.map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })),
    ),
  )
