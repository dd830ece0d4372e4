import type { Ask } from '../../tools/asking.ts'
import type { Schema } from '../../tools/openapi.ts'
import type { Problem } from '../../tools/problems.ts'
import type { ApiAnswer } from '../../tools/request.ts'
import type { ToolResult } from '../../tools/results.ts'
import type { JobState, StartedJob } from '../../tools/jobs.ts'
import type { Exchange } from '../exchange.ts'
import type { Progress } from '../follow-job.ts'
import type { View } from '../view.ts'

/** What a client says it can do. Source: MCP, ClientCapabilities. */
export type Capabilities = Schema

/** Where the eras differ in what a method answers. */
export interface Dialect {
  readonly name: 'session' | 'modern'
  /** Code of a resource that there is not. */
  readonly notFound: -32002 | -32602
  /** Code of a resource that the API refused with this status. */
  refused(status: number): number
  /** Structured content that is no object stands under `result`. */
  readonly wrapsStructure: boolean
}

/** Source: MCP 2025-11-25, resources, error handling; the range left to implementations. */
export const sessionDialect: Dialect = {
  name: 'session',
  notFound: -32002,
  refused: () => -32010,
  wrapsStructure: true,
}

/** Codes of our own have to be outside of what JSON-RPC reserves: the HTTP status. Source: MCP 2026-07-28, error codes. */
export const modernDialect: Dialect = {
  name: 'modern',
  notFound: -32602,
  refused: (status) => status,
  wrapsStructure: false,
}

/** One request of the protocol, whichever era it came in. */
export interface Call {
  readonly exchange: Exchange
  readonly view: View
  readonly params: Readonly<Record<string, unknown>>
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Null where the client did not ask for progress. */
  readonly tell: ((progress: Progress) => Promise<void>) | null
  /** Null where the client cannot ask people. */
  readonly ask: Ask | null
  /** The client takes a task in place of the result. */
  readonly tasks: boolean
  readonly capabilities: Capabilities
  readonly dialect: Dialect
}

/** A call is over, or goes on as a task. `called`: the name of the tool. */
export type CallOutcome =
  | { readonly is: 'complete'; readonly result: ToolResult }
  | {
      readonly is: 'task'
      readonly job: StartedJob
      readonly state: JobState
      readonly called: string
      readonly result: ToolResult
    }

/** The API's answer, or the problem of having none. */
export type Outcome = { answer: ApiAnswer; problem?: never } | { answer?: never; problem: Problem }
