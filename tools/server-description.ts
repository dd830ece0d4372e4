import { DocumentError, isRecord, type ApiDocument } from './openapi.ts'

/** The name and version that clients are told. Source: MCP, Implementation. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
}

/** What the server says of itself. Source: MCP, InitializeResult. */
export interface ServerDescription {
  readonly info: ServerInfo
  /** What a model is told about the whole API; null if the document says nothing. */
  readonly instructions: string | null
  /** The names of the bridge's own prompts that fit this API. */
  readonly ownPrompts: readonly string[]
}

/** The longest instructions, in characters: every conversation begins with them. */
const maxInstructionsLength = 8_000

/** The longest name and the longest version, in characters: every result of MCP 2026-07-28 has them. */
const maxInfoLength = 200

/**
 * Reads what a document says about its server: `x-mcp-server {name, version?, instructions, prompts?}`, and `info` for
 * what that leaves out.
 * @throws DocumentError if a member has another type, the instructions are longer than 8,000 characters, or the name or
 * the version is longer than 200
 */
export function readServerDescription(document: ApiDocument): ServerDescription {
  const { title, version } = isRecord(document['info']) ? document['info'] : {}
  const stated = document['x-mcp-server'] ?? {}
  if (!isRecord(stated)) throw new DocumentError('x-mcp-server is not an object')
  const readText = (member: string) => {
    const value = stated[member]
    if (value !== undefined && typeof value !== 'string') throw new DocumentError(`x-mcp-server.${member} is not text`)
    return value
  }
  const { prompts = [] } = stated
  if (!Array.isArray(prompts) || !prompts.every((one) => typeof one === 'string'))
    throw new DocumentError('x-mcp-server.prompts is not a list of names')
  const instructions = readText('instructions') ?? null
  if (instructions !== null && instructions.length > maxInstructionsLength)
    throw new DocumentError(`x-mcp-server.instructions is longer than ${maxInstructionsLength} characters`)
  const info = {
    name: readText('name') ?? (typeof title === 'string' ? title : 'api'),
    version:
      readText('version') ?? (typeof version === 'string' || typeof version === 'number' ? String(version) : '0'),
  }
  for (const [member, text] of Object.entries(info))
    if (text.length > maxInfoLength)
      throw new DocumentError(
        `the ${member} of the server is longer than ${maxInfoLength} characters; x-mcp-server.${member} can say a shorter one`,
      )
  return {
    info,
    instructions,
    ownPrompts: prompts,
  }
}
