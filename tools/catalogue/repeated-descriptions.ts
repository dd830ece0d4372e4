import type { ToolEntry } from './catalogue.ts'
import { isRecord, type Schema } from '../openapi.ts'
import { mapSubschemas } from './subschemas.ts'

/**
 * Removes descriptions that another tool of the list repeats. If a tool shares a member with the tool that creates the
 * thing, and the two schemas are equal, only the creating tool describes the member. All rules stay.
 * @param tools the tools of one view, because a description must remain once in the view
 */
export function removeRepeatedDescriptions(tools: readonly ToolEntry[]): ToolEntry[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const creating = tools.filter(({ name }) => name.startsWith('create_'))
  return tools.map((tool) => {
    const twin = tool.name.startsWith('update_')
      ? byName.get(tool.name.replace('update_', 'create_'))
      : creating.find((one) => one !== tool && hasSameInput(tool, one))
    return twin ? referToTwin(tool, twin) : tool
  })
}

/** The number of members that two tools must share before one refers to the other. */
const minSharedMembers = 5

/** Returns whether another tool takes all members of a tool with exactly the same schemas. */
function hasSameInput({ inputSchema: { properties } }: ToolEntry, { inputSchema }: ToolEntry): boolean {
  const others = inputSchema['properties']
  if (!isRecord(properties) || !isRecord(others)) return false
  const names = Object.keys(properties)
  return (
    names.length >= minSharedMembers
    && names.every((name) => JSON.stringify(properties[name]) === JSON.stringify(others[name]))
  )
}

function referToTwin(tool: ToolEntry, twin: ToolEntry): ToolEntry {
  const inputSchema = { ...tool.inputSchema }
  for (const keyword of ['properties', '$defs']) {
    const [own, others] = [inputSchema[keyword], twin.inputSchema[keyword]]
    if (isRecord(own) && isRecord(others)) inputSchema[keyword] = removeSharedDescriptions(own, others)
  }
  if (JSON.stringify(inputSchema) === JSON.stringify(tool.inputSchema)) return tool
  return { ...tool, description: `${tool.description} Members without description: as in ${twin.name}.`, inputSchema }
}

const removeSharedDescriptions = (own: Schema, others: Schema): Schema =>
  Object.fromEntries(
    Object.entries(own).map(([name, schema]) => [
      name,
      isRecord(schema) && JSON.stringify(schema) === JSON.stringify(others[name]) ? removeDescriptions(schema) : schema,
    ]),
  )

function removeDescriptions(schema: Schema): Schema {
  const { description: _, ...rest } = mapSubschemas(schema, '#', removeDescriptions)
  return rest
}
