import type { ToolEntry } from './catalogue.ts'
import { isRecord, type Schema } from './openapi.ts'
import { mapSubschemas } from './subschemas.ts'

/**
 * Tools that change things, or take the same things for another end, beside those that create them: a member that both
 * have, with the same rules and the same words, is described where the thing is created only. All its rules stay.
 * @param tools of one view, since a description has to stand in it once.
 */
export function besideTheirTwins(tools: readonly ToolEntry[]): ToolEntry[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const creating = tools.filter(({ name }) => name.startsWith('create_'))
  return tools.map((tool) => {
    const twin = tool.name.startsWith('update_')
      ? byName.get(tool.name.replace('update_', 'create_'))
      : creating.find((one) => one !== tool && takesTheSame(tool, one))
    return twin ? beside(tool, twin) : tool
  })
}

/** Members that two tools have to share before one points to the other. */
const minShared = 5

/** Whether all that a tool takes is what another one takes, word by word. */
function takesTheSame({ inputSchema: { properties } }: ToolEntry, { inputSchema }: ToolEntry): boolean {
  const others = inputSchema['properties']
  if (!isRecord(properties) || !isRecord(others)) return false
  const names = Object.keys(properties)
  return names.length >= minShared && names.every((name) => JSON.stringify(properties[name]) === JSON.stringify(others[name]))
}

function beside(tool: ToolEntry, twin: ToolEntry): ToolEntry {
  const inputSchema = { ...tool.inputSchema }
  for (const keyword of ['properties', '$defs']) {
    const [own, others] = [inputSchema[keyword], twin.inputSchema[keyword]]
    if (isRecord(own) && isRecord(others)) inputSchema[keyword] = undescribed(own, others)
  }
  if (JSON.stringify(inputSchema) === JSON.stringify(tool.inputSchema)) return tool
  return { ...tool, description: `${tool.description} Members without description: as in ${twin.name}.`, inputSchema }
}

const undescribed = (own: Schema, others: Schema): Schema =>
  Object.fromEntries(
    Object.entries(own).map(([name, schema]) => [
      name,
      isRecord(schema) && JSON.stringify(schema) === JSON.stringify(others[name]) ? silent(schema) : schema,
    ]),
  )

function silent(schema: Schema): Schema {
  const { description: _, ...rest } = mapSubschemas(schema, '#', silent)
  return rest
}
