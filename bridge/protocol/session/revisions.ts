import { isRecord } from '../../../tools/openapi.ts'
import type { PromptResult } from '../../../tools/catalogue/prompt-operations.ts'
import type { ContentBlock, ToolResult } from '../../../tools/results/results.ts'
import { getPlainContent } from '../../../tools/results/structure-texts.ts'

/** The revisions of the session era, newest first. */
export const revisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
export type Revision = (typeof revisions)[number]

export const isRevision = (value: unknown): value is Revision => revisions.some((revision) => revision === value)

/** Returns the requested revision if it is known, else the newest. Source: MCP, lifecycle, version negotiation. */
export function negotiateRevision(message: Readonly<Record<string, unknown>>): Revision {
  const stated = isRecord(message['params']) ? message['params']['protocolVersion'] : undefined
  return isRevision(stated) ? stated : revisions[0]
}

/** Returns the `initialize` message with the negotiated revision. */
export function withRevision(message: Readonly<Record<string, unknown>>, revision: Revision): unknown {
  return isRecord(message['params'])
    ? { ...message, params: { ...message['params'], protocolVersion: revision } }
    : message
}

/** Returns whether a revision has batches; 2025-06-18 removed them. */
export const supportsBatches = (revision: Revision) => revision === '2025-03-26'

/** Adapts a tool's result: 2025-03-26 has neither structured content nor resource links, so links become text. */
export function adaptToolResult(result: ToolResult, revision: Revision): ToolResult {
  if (revision !== '2025-03-26') return result
  const { structuredContent: _, ...rest } = result
  return { ...rest, content: (getPlainContent(result) ?? result.content).map(toPlainBlock) }
}

/** Adapts a prompt's result to the revision in the same way. */
export function adaptPromptResult(result: PromptResult, revision: Revision): PromptResult {
  if (revision !== '2025-03-26') return result
  // The contents were validated as blocks when they arrived.
  return {
    ...result,
    messages: result.messages.map((one) => ({ ...one, content: toPlainBlock(one.content as ContentBlock) })),
  }
}

function toPlainBlock(block: ContentBlock): ContentBlock {
  if (block.type !== 'resource_link') return block
  return { type: 'text', text: [`Resource ${block.uri}`, block.description].filter(Boolean).join(': ') }
}
