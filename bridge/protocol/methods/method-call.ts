import type { InputElicitor } from '../../../tools/own/elicitation.ts'
import type { Schema } from '../../../tools/openapi.ts'
import type { Problem } from '../../../tools/results/problems.ts'
import type { ApiAnswer } from '../../../tools/results/api-request.ts'
import type { ToolResult } from '../../../tools/results/results.ts'
import type { JobState, StartedJob } from '../../../tools/results/jobs.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { Progress } from '../../api/follow-job.ts'
import type { CatalogueView } from '../../access/catalogue-view.ts'

/** The capabilities that a client declares. Source: MCP, ClientCapabilities. */
export type ClientCapabilities = Schema

/** The differences between the eras in the answers of methods. */
export interface EraDialect {
  readonly name: 'session' | 'modern'
  /** The error code for a resource that does not exist. */
  readonly notFound: -32002 | -32602
  /** Returns the error code for a resource that the API refused with this status. */
  getRefusalCode(status: number): number
  /** Structured content that is not an object is put under `result`. */
  readonly wrapsStructure: boolean
}

/** The codes come from MCP 2025-11-25, resources, error handling, and from the range left to implementations. */
export const sessionDialect: EraDialect = {
  name: 'session',
  notFound: -32002,
  getRefusalCode: () => -32010,
  wrapsStructure: true,
}

/**
 * Our own codes must be outside of the range that JSON-RPC reserves, so they are the HTTP status.
 * Source: MCP 2026-07-28, error codes.
 */
export const modernDialect: EraDialect = {
  name: 'modern',
  notFound: -32602,
  getRefusalCode: (status) => status,
  wrapsStructure: false,
}

/** One request of the protocol, in either era. */
export interface MethodCall {
  readonly context: RequestContext
  readonly view: CatalogueView
  readonly params: Readonly<Record<string, unknown>>
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Null if the client did not ask for progress. */
  readonly notifyProgress: ((progress: Progress) => Promise<void>) | null
  /** Null if the client cannot ask people. */
  readonly elicitInput: InputElicitor | null
  /** True if the client accepts a task in place of the result. */
  readonly acceptsTasks: boolean
  readonly capabilities: ClientCapabilities
  readonly dialect: EraDialect
}

/** The outcome of a tool call: it is complete, or it goes on as a task. */
export type ToolCallOutcome =
  | { readonly is: 'complete'; readonly result: ToolResult }
  | {
      readonly is: 'task'
      readonly job: StartedJob
      readonly state: JobState
      readonly toolName: string
      readonly result: ToolResult
      /** The body of the answer that named the job; undefined if it has secrets, which no id may carry. */
      readonly carriedBody: unknown
    }

/** The API's answer, or a problem if there is none. */
export type ApiOutcome = { answer: ApiAnswer; problem?: never } | { answer?: never; problem: Problem }
