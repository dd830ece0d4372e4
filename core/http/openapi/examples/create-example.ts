import { isObject } from '../../../kernel/json/values.ts'
import { examplesByMember, examplesByTitle } from './members.ts'

/** A schema as an operation declares it, before its parts are shared. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Example for a text about which nothing else is known. */
export const unknownText = 'text'

const toSchemas = (value: unknown) => (Array.isArray(value) ? (value as JsonSchema[]) : [])

/**
 * Creates an example value for a schema. The first of these that exists is used: the example for the schema's title;
 * the example for the member of that parent; the schema's own example or constant; an enum value; the example for the
 * member's name, if it fits; the example of the first branch that is not null; a value by type. An object gets all its
 * members.
 * @param name name of the member that has the value; empty for a whole body
 * @param parentTitle title of the object that has the member
 */
export function createExample(schema: JsonSchema, name = '', parentTitle = ''): unknown {
  const title = String(schema['title'] ?? '')
  if (title in examplesByTitle) return examplesByTitle[title]
  if (`${parentTitle}.${name}` in examplesByMember) return examplesByMember[`${parentTitle}.${name}`]
  const [ownExample] = toSchemas(schema['examples'])
  if (ownExample !== undefined) return ownExample
  if ('const' in schema) return schema['const']
  const memberExample = examplesByMember[name]
  const enumValues: unknown = schema['enum']
  if (Array.isArray(enumValues))
    return enumValues.includes(memberExample) ? memberExample : (schema['default'] ?? enumValues[0])
  if (memberExample !== undefined && acceptsValue(schema, memberExample)) return memberExample
  const [branch] = getBranches(schema).filter(({ type }) => type !== 'null')
  if (branch) return createExample(branch, name, parentTitle)
  return createExampleByType(schema, name, title || parentTitle)
}

const getBranches = ({ anyOf, oneOf }: JsonSchema) => toSchemas(anyOf ?? oneOf)

/** Checks whether a value has the schema's type and the schema is not a titled object. Tests validate the rest. */
function acceptsValue(schema: JsonSchema, value: unknown): boolean {
  const branches = getBranches(schema)
  if (branches.length > 0) return branches.some((branch) => acceptsValue(branch, value))
  const { type, title } = schema
  const ownType = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  if (ownType === 'object') return type === 'object' && title === undefined
  return (
    type === ownType || (type === 'integer' && Number.isInteger(value)) || (type === undefined && !('$ref' in schema))
  )
}

function createExampleByType(schema: JsonSchema, name: string, parentTitle: string): unknown {
  switch (schema['type']) {
    case 'object': {
      const members = Object.entries(isObject(schema['properties']) ? schema['properties'] : {})
      const values = members.map(
        ([member, inner]) => [member, createExample(inner as JsonSchema, member, parentTitle)] as const,
      )
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    }
    case 'array':
      return isObject(schema['items']) ? [createExample(schema['items'], name, parentTitle)] : []
    case 'integer':
    case 'number':
      return schema['default'] ?? schema['minimum'] ?? 1
    case 'boolean':
      return schema['default'] ?? false
    case 'string':
      return schema['default'] ?? examplesByFormat[String(schema['format'])] ?? unknownText
    case 'null':
      return null
    default:
      return {}
  }
}

const examplesByFormat: Readonly<Record<string, string>> = {
  uuid: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
}
