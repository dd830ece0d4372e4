import type { ToolEntry } from './catalogue.ts'
import { isRecord, type Schema } from '../openapi.ts'
import { splitSentences } from './shorten.ts'
import { getReference, visitSubschemas } from './subschemas.ts'

/** The characters of JSON that a reference to another tool must save at least. */
const minSavedLength = 120

const definitionsPrefix = '#/$defs/'

/**
 * Removes what another tool of the list repeats: a member whose schema is equal in both tools is written out in one of
 * them, and the other shows at most its type and says where the rest is. A tool that creates a thing always writes its
 * members out. So are the sentences that describe such a member. No rule is lost, because the named tool is in the
 * same list.
 * @param tools the tools of one view, in the order of their names
 */
export function removeRepeatedMembers(tools: readonly ToolEntry[]): ToolEntry[] {
  const written = tools.filter(({ name }) => name.startsWith('create_'))
  const shown = new Map<string, ToolEntry>()
  for (const tool of tools) {
    const twin = written.includes(tool) ? null : findTwin(tool, written)
    if (!twin) written.push(tool)
    shown.set(tool.name, twin ? referToTwin(tool, twin) : tool)
  }
  return referToChoices(tools.map((tool) => shown.get(tool.name) ?? tool))
}

/** The characters of JSON from which a list of choices is written out only once. */
const minChoicesLength = 120

/** Writes out each long list of choices once; every other member that takes the same names the first one. */
function referToChoices(tools: readonly ToolEntry[]): ToolEntry[] {
  const firstPlaces = new Map<string, string>()
  return tools.map((tool) => {
    const properties = Object.entries(getProperties(tool.inputSchema)).map(([name, schema]) => {
      if (!isRecord(schema) || !Array.isArray(schema['enum'])) return [name, schema] as const
      const { enum: choices, description, ...rest } = schema
      const text = JSON.stringify([rest, choices])
      const place = firstPlaces.get(text)
      if (text.length < minChoicesLength) return [name, schema] as const
      if (place === undefined) firstPlaces.set(text, `${tool.name}.${name}`)
      if (place === undefined) return [name, schema] as const
      const note = `Values as in ${place}.`
      return [
        name,
        { ...rest, description: typeof description === 'string' ? `${description} ${note}` : note },
      ] as const
    })
    return { ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(properties) } }
  })
}

/** Finds the tool that saves the most when another one refers to it; null if none saves enough. */
function findTwin(tool: ToolEntry, written: readonly ToolEntry[]): ToolEntry | null {
  let twin: ToolEntry | null = null
  let savedLength = minSavedLength - 1
  for (const candidate of written) {
    const saved = listSharedMembers(tool, candidate).reduce((sum, { length }) => sum + length, 0)
    if (saved > savedLength) [twin, savedLength] = [candidate, saved]
  }
  return twin
}

interface SharedMember {
  readonly name: string
  /** The characters of JSON that the reference saves. */
  readonly length: number
}

/** Lists the members that both tools have with equal schemas, if these say more than a type. */
function listSharedMembers({ inputSchema: own }: ToolEntry, { inputSchema: other }: ToolEntry): SharedMember[] {
  return Object.entries(getProperties(own)).flatMap(([name, schema]) => {
    const text = JSON.stringify(schema)
    if (text !== JSON.stringify(getProperties(other)[name])) return []
    const length = text.length - JSON.stringify(toType(schema, own)).length
    return length > 0 && hasSameDefinitions(schema, own, other) ? [{ name, length }] : []
  })
}

/** Returns whether all that a schema refers to is the same in two tools. */
function hasSameDefinitions(schema: unknown, own: Schema, other: Schema): boolean {
  const names = [...listReferences(schema, own)]
  return names.every(
    (name) => JSON.stringify(getDefinitions(own)[name]) === JSON.stringify(getDefinitions(other)[name]),
  )
}

/** Lists the names of all definitions that a schema needs. */
function listReferences(schema: unknown, root: Schema, names = new Set<string>()): Set<string> {
  if (!isRecord(schema)) return names
  const ref = getReference(schema)
  const name = ref?.startsWith(definitionsPrefix) ? decodeURIComponent(ref.slice(definitionsPrefix.length)) : null
  if (name !== null && !names.has(name)) {
    names.add(name)
    listReferences(getDefinitions(root)[name], root, names)
  }
  visitSubschemas(schema, '#', (inner) => listReferences(inner, root, names))
  return names
}

function referToTwin(tool: ToolEntry, twin: ToolEntry): ToolEntry {
  const shared = new Set(listSharedMembers(tool, twin).map(({ name }) => name))
  const { $defs, ...root } = tool.inputSchema
  const properties = Object.fromEntries(
    Object.entries(getProperties(root)).map(([name, schema]) => [
      name,
      shared.has(name) ? toType(schema, tool.inputSchema) : schema,
    ]),
  )
  const needed = new Set<string>()
  for (const schema of Object.values(properties)) listReferences(schema, tool.inputSchema, needed)
  const definitions = Object.entries(isRecord($defs) ? $defs : {}).filter(([name]) => needed.has(name))
  const description = removeSharedSentences(tool, twin, shared)
  return {
    ...tool,
    description: `${description} Bare members: as in ${twin.name}.`,
    inputSchema: {
      ...root,
      properties,
      ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
    },
  }
}

/**
 * Removes the sentences of a description that describe an argument (`Filters: id eq; status eq ne.`), where the other
 * tool has them and writes the argument out. Tools that only read keep them, because they are what a reader looks for.
 */
function removeSharedSentences(tool: ToolEntry, twin: ToolEntry, shared: ReadonlySet<string>): string {
  if (tool.annotations.readOnlyHint) return tool.description
  const known = new Set(splitSentences(twin.description))
  const isShared = (sentence: string) => {
    const [, subject = ''] = /^(\w+): /.exec(sentence) ?? []
    return shared.has(subject.toLowerCase()) && known.has(sentence)
  }
  return splitSentences(tool.description)
    .filter((sentence) => !isShared(sentence))
    .join(' ')
}

/** Returns the schema of the type alone, without rules; an empty one if there are several types or none. */
function toType(schema: unknown, root: Schema): Schema {
  if (!isRecord(schema)) return {}
  const ref = getReference(schema)
  const target = ref?.startsWith(definitionsPrefix)
    ? getDefinitions(root)[decodeURIComponent(ref.slice(definitionsPrefix.length))]
    : schema
  return isRecord(target) && typeof target['type'] === 'string' ? { type: target['type'] } : {}
}

const getProperties = ({ properties }: Schema): Schema => (isRecord(properties) ? properties : {})
const getDefinitions = ({ $defs }: Schema): Schema => (isRecord($defs) ? $defs : {})
