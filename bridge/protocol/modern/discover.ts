import { instructions } from '../instructions.ts'
import { envelopeKeys, modernRevision } from '../detect-era.ts'
import { formatResponseHead, completeResult, type CacheHints } from './responses.ts'

/** The capabilities of this server in the modern era. Source: MCP 2026-07-28, ServerCapabilities; SEP-2663. */
export const serverCapabilities = {
  tools: {},
  resources: {},
  prompts: {},
  completions: {},
  extensions: { [envelopeKeys.tasks]: {} },
}

/** The cache hints of the discovery answer, which changes only with a new version of this program. */
export const discoveryCacheHints: CacheHints = { ttlMs: 3_600_000, cacheScope: 'public' }

/** The answer to `server/discover`. Source: MCP 2026-07-28, discovery. */
export const discoveryHead = formatResponseHead(
  JSON.stringify(
    completeResult(
      { supportedVersions: [modernRevision], capabilities: serverCapabilities, instructions },
      discoveryCacheHints,
    ),
  ),
)
