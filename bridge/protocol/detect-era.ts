import { isRecord } from '../../tools/openapi.ts'

/** The first revision whose requests describe themselves. */
export const modernRevision = '2026-07-28'

/** Members of `_meta` that belong to the protocol. Source: MCP 2026-07-28, basic, `_meta`. */
export const envelopeKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
  relatedTask: 'io.modelcontextprotocol/related-task',
  tasks: 'io.modelcontextprotocol/tasks',
} as const

/**
 * Returns the era of a request. The body decides: a message that names a revision in `_meta` belongs to the modern era,
 * whatever the headers say. A modern header with a body that names no revision belongs to the modern era too, which
 * then answers what is missing. Source: MCP 2026-07-28, versioning, backward compatibility.
 * @param protocolVersion the header MCP-Protocol-Version
 * @param message the parsed body of a POST
 */
export function detectEra(
  httpMethod: string | undefined,
  protocolVersion: unknown,
  message: unknown,
): 'session' | 'modern' {
  if (isModernRevision(protocolVersion)) return 'modern'
  if (httpMethod !== 'POST') return 'session'
  if (Array.isArray(message)) return message.some(hasModernEnvelope) ? 'modern' : 'session'
  if (!isRecord(message) || !hasModernEnvelope(message)) return 'session'
  if (message['method'] !== 'initialize') return 'modern'
  // `initialize` is the handshake of the session era, unless its `_meta` names a modern revision.
  const version = getMeta(message)?.[envelopeKeys.version]
  return typeof version === 'string' && version >= modernRevision ? 'modern' : 'session'
}

/** Revisions are dates, so they compare as texts. */
const isModernRevision = (revision: unknown) =>
  typeof revision === 'string' && revision >= modernRevision && /^\d{4}-\d\d-\d\d$/.test(revision)

const hasModernEnvelope = (message: unknown) => {
  const meta = getMeta(message)
  return meta !== null && envelopeKeys.version in meta
}

/** Returns the `_meta` of a message; null if it has none. */
function getMeta(message: unknown): Readonly<Record<string, unknown>> | null {
  if (!isRecord(message) || !isRecord(message['params'])) return null
  const meta = message['params']['_meta']
  return isRecord(meta) ? meta : null
}
