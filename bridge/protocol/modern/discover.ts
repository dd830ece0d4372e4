import type { ServerInfo } from '../../../tools/server-description.ts'
import { envelopeKeys, modernRevision } from '../detect-era.ts'
import { formatResponseHead, getResultFormat, type CacheHints } from './responses.ts'

/** The capabilities of this server in the modern era. Source: MCP 2026-07-28, ServerCapabilities; SEP-2663. */
export const serverCapabilities = {
  tools: {},
  resources: {},
  prompts: {},
  completions: {},
  extensions: { [envelopeKeys.tasks]: {} },
}

/** The parts of the answer to `server/discover` that depend on the document and the view. */
export interface Discovery {
  readonly serverInfo: ServerInfo
  readonly instructions: string
  readonly cacheHints: CacheHints
}

/** Formats the answer to `server/discover`. Source: MCP 2026-07-28, discovery. */
export const formatDiscoveryHead = ({ serverInfo, instructions, cacheHints }: Discovery) =>
  formatResponseHead(
    getResultFormat(serverInfo).format({
      result: { supportedVersions: [modernRevision], capabilities: serverCapabilities, instructions },
      cacheHints,
    }),
  )
