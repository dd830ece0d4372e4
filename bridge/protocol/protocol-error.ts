import { showInvisible } from '../../tools/arguments/show-invisible.ts'

/** A JSON-RPC error as the client gets it; all characters of its message are visible. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    // Models read the message, and a part of it may come from a caller or from the API.
    super(showInvisible(message, false))
    this.code = code
    this.data = data
  }
}

/**
 * The error codes. Source: JSON-RPC 2.0, section 5.1, and MCP 2025-11-25; `refused` is in the range left to
 * implementations.
 */
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
  /** The HTTP status, which is outside of the range that JSON-RPC reserves. */
  tooMany: 429,
} as const

/** Source: MCP 2026-07-28, error codes. */
export const modernCodes = { headerMismatch: -32020, missingCapability: -32021, unsupportedVersion: -32022 } as const

/** The call needs a capability that the client did not declare. Source: MCP 2026-07-28, capabilities. */
export class MissingCapabilityError extends ProtocolError {
  /** @param required a ClientCapabilities object, for example `{elicitation: {}}` */
  constructor(required: Readonly<Record<string, unknown>>) {
    const names = Object.keys(required).join(', ')
    super(modernCodes.missingCapability, `This needs a client that declares ${names}`, {
      requiredCapabilities: required,
    })
  }
}
