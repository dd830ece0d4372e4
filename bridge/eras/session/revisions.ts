import { isRecord } from '../../../tools/openapi.ts'
import type { PromptResult } from '../../../tools/prompt-operations.ts'
import type { Block, ToolResult } from '../../../tools/results.ts'

/** The revisions of the session era, newest first. */
export const revisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
export type Revision = (typeof revisions)[number]

export const isRevision = (value: unknown): value is Revision => revisions.some((revision) => revision === value)

/** The revision a session has: the one asked for, else the newest. Source: MCP, lifecycle, version negotiation. */
export function negotiated(message: Readonly<Record<string, unknown>>): Revision {
  const asked = isRecord(message['params']) ? message['params']['protocolVersion'] : undefined
  return isRevision(asked) ? asked : revisions[0]
}

/** The same `initialize` with the negotiated revision in it. */
export function asking(message: Readonly<Record<string, unknown>>, revision: Revision): unknown {
  return isRecord(message['params'])
    ? { ...message, params: { ...message['params'], protocolVersion: revision } }
    : message
}

/** Batches were taken back by 2025-06-18. */
export const takesBatches = (revision: Revision) => revision === '2025-03-26'

/** 2025-03-26 knows neither structured content nor links to resources: links become text. */
export function fitting(result: ToolResult, revision: Revision): ToolResult {
  if (revision !== '2025-03-26') return result
  const { structuredContent: _, ...rest } = result
  return { ...rest, content: result.content.map(plain) }
}

/** The same of a prompt. */
export function fittingPrompt(result: PromptResult, revision: Revision): PromptResult {
  if (revision !== '2025-03-26') return result
  // Its contents were judged to be blocks when they came.
  return { ...result, messages: result.messages.map((one) => ({ ...one, content: plain(one.content as Block) })) }
}

function plain(block: Block): Block {
  if (block.type !== 'resource_link') return block
  return { type: 'text', text: [`Resource ${block.uri}`, block.description].filter(Boolean).join(': ') }
}
