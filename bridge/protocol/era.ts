import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestContext } from '../api/request-context.ts'
import type { CatalogueView } from '../access/catalogue-view.ts'

/** A request to the endpoint that passed the guard. `message` is the parsed body of a POST, otherwise undefined. */
export interface IncomingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly context: RequestContext
  readonly view: CatalogueView
  readonly message: unknown
}

/** One generation of the protocol on the shared endpoint. The request alone shows which era it belongs to. */
export interface Era {
  readonly name: 'session' | 'modern'
  canHandle(incoming: IncomingRequest): boolean
  /** Answers a request. Resolves when the request is handed on, which may be before its answer is complete. */
  handle(incoming: IncomingRequest): Promise<void>
  /**
   * Ends the streams that only listen, so that work in progress can finish.
   * @param timeoutMs the milliseconds that are left for it
   */
  drain(timeoutMs: number): void
  close(): void
}
