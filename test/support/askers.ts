import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { connect, type Answering } from './bridge-client.ts'
import { connectModern } from './modern-client.ts'

/** What a client was asked to show. */
export interface Shown {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema: { properties: Record<string, Record<string, unknown>>; required?: string[] }
}
type Reply = Awaited<ReturnType<Answering>>
export type Person = (shown: Shown, time: number) => Reply | Promise<Reply>

/** A client with a person in front of it, who answers, and everything that person was shown. */
export interface Asker {
  readonly shown: Shown[]
  call(name: string, args?: Record<string, unknown>, told?: (progress: { progress: number }) => void): Promise<CallToolResult>
  close(): Promise<void>
}

/** The reference client of each revision that knows how to ask people. */
export const askingRevisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

export async function asker(
  url: string,
  revision: (typeof askingRevisions)[number] | '2025-03-26',
  person: Person | null,
  headers: Record<string, string> = {},
): Promise<Asker> {
  const shown: Shown[] = []
  const answer = (params: unknown) => {
    shown.push(params as Shown)
    return person?.(params as Shown, shown.length) ?? { action: 'cancel' as const }
  }
  const { close, callTool } = await (revision === '2026-07-28' ? newest(url, headers, person && answer) : older(url, headers, person && answer, revision))
  return {
    shown,
    call: (name, args = {}, told) => callTool({ name, arguments: args }, told && { onprogress: told }),
    close,
  }
}

interface Called {
  name: string
  arguments: Record<string, unknown>
}
interface Options {
  onprogress: (progress: { progress: number }) => void
}
interface Connected {
  callTool: (params: Called, options?: Options) => Promise<CallToolResult>
  close: () => Promise<void>
}
type Answer = (params: unknown) => Reply | Promise<Reply>

async function newest(url: string, headers: Record<string, string>, answer: Answer | null): Promise<Connected> {
  const capabilities = answer ? { elicitation: { form: {} } } : {}
  const client = await connectModern(url, headers, { capabilities })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params) as never)
  const callTool = async (params: Called, options?: Options) => (await client.callTool(params, options)) as CallToolResult
  return { callTool, close: () => client.close() }
}

async function older(url: string, headers: Record<string, string>, answer: Answer | null, revision: string): Promise<Connected> {
  const client = await connect(url, headers, { revision, ...(answer && { answering: answer }) })
  const callTool = async (params: Called, options?: Options) => (await client.callTool(params, undefined, options)) as CallToolResult
  return { callTool, close: () => client.close() }
}
