import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { connectClient, type ElicitationHandler } from './bridge-client.ts'
import { connectModernClient } from './modern-client.ts'

/** A question that a client was asked to show. */
export interface ShownQuestion {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema: { properties: Record<string, Record<string, unknown>>; required?: string[] }
}
type PersonReply = Awaited<ReturnType<ElicitationHandler>>
export type PersonResponder = (shown: ShownQuestion, attempt: number) => PersonReply | Promise<PersonReply>

/** A client with a simulated person who answers questions, and all questions that were shown. */
export interface AskingClient {
  readonly shownQuestions: ShownQuestion[]
  call(
    name: string,
    args?: Record<string, unknown>,
    onProgress?: (progress: { progress: number }) => void,
  ): Promise<CallToolResult>
  close(): Promise<void>
}

/** The revisions whose reference client can ask people. */
export const askingRevisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

export async function connectAskingClient(
  url: string,
  revision: (typeof askingRevisions)[number] | '2025-03-26',
  person: PersonResponder | null,
  headers: Record<string, string> = {},
): Promise<AskingClient> {
  const shownQuestions: ShownQuestion[] = []
  const answer = (params: unknown) => {
    shownQuestions.push(params as ShownQuestion)
    return person?.(params as ShownQuestion, shownQuestions.length) ?? { action: 'cancel' as const }
  }
  const { close, callTool } = await (revision === '2026-07-28'
    ? connectNewest(url, headers, person && answer)
    : connectOlder(url, headers, person && answer, revision))
  return {
    shownQuestions,
    call: (name, args = {}, reportProgress) =>
      callTool({ name, arguments: args }, reportProgress && { onprogress: reportProgress }),
    close,
  }
}

interface ToolCallParams {
  name: string
  arguments: Record<string, unknown>
}
interface ToolCallOptions {
  onprogress: (progress: { progress: number }) => void
}
interface ConnectedClient {
  callTool: (params: ToolCallParams, options?: ToolCallOptions) => Promise<CallToolResult>
  close: () => Promise<void>
}
type AnswerFunction = (params: unknown) => PersonReply | Promise<PersonReply>

async function connectNewest(
  url: string,
  headers: Record<string, string>,
  answer: AnswerFunction | null,
): Promise<ConnectedClient> {
  const capabilities = answer ? { elicitation: { form: {} } } : {}
  const client = await connectModernClient(url, headers, { capabilities })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params) as never)
  const callTool = async (params: ToolCallParams, options?: ToolCallOptions) =>
    (await client.callTool(params, options)) as CallToolResult
  return { callTool, close: () => client.close() }
}

async function connectOlder(
  url: string,
  headers: Record<string, string>,
  answer: AnswerFunction | null,
  revision: string,
): Promise<ConnectedClient> {
  const client = await connectClient(url, headers, { revision, ...(answer && { answerQuestion: answer }) })
  const callTool = async (params: ToolCallParams, options?: ToolCallOptions) =>
    (await client.callTool(params, undefined, options)) as CallToolResult
  return { callTool, close: () => client.close() }
}
