/** A JSON-RPC error as the peer gets it. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Source: JSON-RPC 2.0, section 5.1, and MCP 2025-11-25; `refused` is of the range left to implementations. */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  sessionNotFound: -32001,
  resourceNotFound: -32002,
  refused: -32010,
} as const
