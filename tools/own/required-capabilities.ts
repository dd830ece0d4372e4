import { DocumentError, isRecord, type Schema } from '../openapi.ts'

/** Reads the client capabilities that `x-mcp-requires` states; null if there are none. @throws DocumentError */
export function readRequiredCapabilities(value: unknown): Schema | null {
  if (value === undefined) return null
  if (!isRecord(value) || Object.keys(value).length === 0 || !Object.values(value).every(isRecord))
    throw new DocumentError('x-mcp-requires is not an object of client capabilities')
  return value
}

/** Returns whether a client declares everything that is required. Source: MCP, ClientCapabilities. */
export function hasCapabilities(declared: Schema, required: Schema): boolean {
  return Object.entries(required).every(([name, wanted]) => {
    if (name === 'elicitation' && isRecord(wanted)) return hasElicitation(declared, wanted)
    return includesAll(getOwnMember(declared, name), wanted)
  })
}

/**
 * Returns whether a client declares the modes. No mode at all means the mode `form`. Source: MCP, elicitation,
 * capabilities.
 */
function hasElicitation({ elicitation }: Schema, wanted: Schema): boolean {
  if (!isRecord(elicitation)) return false
  const modes = elicitation['form'] === undefined && elicitation['url'] === undefined ? { form: {} } : elicitation
  const wantedModes = Object.keys(wanted).length === 0 ? { form: {} } : wanted
  return includesAll({ ...elicitation, ...modes }, wantedModes)
}

/** Returns whether an object contains everything that is wanted of it. */
function includesAll(stated: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return stated === wanted
  return (
    isRecord(stated) && Object.entries(wanted).every(([name, value]) => includesAll(getOwnMember(stated, name), value))
  )
}

const getOwnMember = (holder: Schema, name: string) => (Object.hasOwn(holder, name) ? holder[name] : undefined)
