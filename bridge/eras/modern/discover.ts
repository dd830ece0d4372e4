import { instructions } from '../instructions.ts'
import { modernRevision } from '../classify.ts'
import { complete } from './answer.ts'

/** The answer to `server/discover`. Source: MCP 2026-07-28, discovery. */
export const discovered = complete(
  {
    supportedVersions: [modernRevision],
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions,
  },
  { ttlMs: 3_600_000, cacheScope: 'public' },
)
