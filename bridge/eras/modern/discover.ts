import { instructions } from '../instructions.ts'
import { envelopeKeys, modernRevision } from '../classify.ts'
import { answerHead, complete, type Cached } from './answer.ts'

/** What this server can do in this era. Source: MCP 2026-07-28, ServerCapabilities; SEP-2663. */
export const capabilities = {
  tools: {},
  resources: {},
  prompts: {},
  completions: {},
  extensions: { [envelopeKeys.tasks]: {} },
}

/** It changes with a new version of this program only. */
export const discoveryCached: Cached = { ttlMs: 3_600_000, cacheScope: 'public' }

/** The answer to `server/discover`. Source: MCP 2026-07-28, discovery. */
export const discovered = answerHead(
  JSON.stringify(complete({ supportedVersions: [modernRevision], capabilities, instructions }, discoveryCached)),
)
