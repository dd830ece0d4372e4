import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '../exchange.ts'
import type { View } from '../view.ts'

/** A request of the endpoint that passed the guard. `message` is the parsed body of a POST, else undefined. */
export interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly exchange: Exchange
  readonly view: View
  readonly message: unknown
}

/** One way of speaking the protocol over one endpoint; which one is meant is seen from the request alone. */
export interface Era {
  readonly name: 'session' | 'modern'
  speaks(incoming: Incoming): boolean
  /** Answers. Resolves when the request is handed on, which may be before its answer is complete. */
  handle(incoming: Incoming): Promise<void>
  /**
   * Ends what is only listening, so that what is being worked on can finish.
   * @param patience milliseconds that are left for it
   */
  drain(patience: number): void
  close(): void
}
