import { DocumentError, isRecord, type Schema } from './openapi.ts'

/** The client capabilities that `x-mcp-requires` states; null where there are none. Throws DocumentError. */
export function readRequires(value: unknown): Schema | null {
  if (value === undefined) return null
  if (!isRecord(value) || Object.keys(value).length === 0 || !Object.values(value).every(isRecord))
    throw new DocumentError('x-mcp-requires is not an object of client capabilities')
  return value
}

/** Whether a client declares everything that is required. Source: MCP, ClientCapabilities. */
export function declares(declared: Schema, required: Schema): boolean {
  return Object.entries(required).every(([name, wanted]) => {
    if (name === 'elicitation' && isRecord(wanted)) return declaresElicitation(declared, wanted)
    return includes(own(declared, name), wanted)
  })
}

/** No mode at all is the mode `form`. Source: MCP, elicitation, capabilities. */
function declaresElicitation({ elicitation }: Schema, wanted: Schema): boolean {
  if (!isRecord(elicitation)) return false
  const modes = elicitation['form'] === undefined && elicitation['url'] === undefined ? { form: {} } : elicitation
  const wantedModes = Object.keys(wanted).length === 0 ? { form: {} } : wanted
  return includes({ ...elicitation, ...modes }, wantedModes)
}

/** Whether everything that is wanted of an object is there. */
function includes(stated: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return stated === wanted
  return isRecord(stated) && Object.entries(wanted).every(([name, value]) => includes(own(stated, name), value))
}

const own = (holder: Schema, name: string) => (Object.hasOwn(holder, name) ? holder[name] : undefined)
