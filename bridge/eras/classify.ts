import { isRecord } from '../../tools/openapi.ts'

/** The revision whose requests describe themselves. */
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
 * Which era a request is of. The body decides: whoever names a revision in `_meta` speaks the modern era, whatever
 * the headers say. A modern header over a body without it is of the modern era too, which says what is missing.
 * Source: MCP 2026-07-28, versioning, backward compatibility.
 * @param spoken the header MCP-Protocol-Version
 * @param message the parsed body of a POST
 */
export function eraOf(httpMethod: string | undefined, spoken: unknown, message: unknown): 'session' | 'modern' {
  if (isModern(spoken)) return 'modern'
  if (httpMethod !== 'POST') return 'session'
  if (Array.isArray(message)) return message.some(isClaimed) ? 'modern' : 'session'
  if (!isRecord(message) || !isClaimed(message)) return 'session'
  if (message['method'] !== 'initialize') return 'modern'
  // The handshake of the session era, whatever else stands in it, unless it says that it is of the modern one.
  const version = metaOf(message)?.[envelopeKeys.version]
  return typeof version === 'string' && version >= modernRevision ? 'modern' : 'session'
}

/** Revisions are dates. */
const isModern = (revision: unknown) =>
  typeof revision === 'string' && revision >= modernRevision && /^\d{4}-\d\d-\d\d$/.test(revision)

const isClaimed = (message: unknown) => {
  const meta = metaOf(message)
  return meta !== null && envelopeKeys.version in meta
}

/** What a message says of itself; null where it says nothing. */
function metaOf(message: unknown): Readonly<Record<string, unknown>> | null {
  if (!isRecord(message) || !isRecord(message['params'])) return null
  const meta = message['params']['_meta']
  return isRecord(meta) ? meta : null
}
