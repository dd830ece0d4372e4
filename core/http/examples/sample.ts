import { byMember, byTitle } from './members.ts'

/** A schema as an operation declares it, before its parts are shared. */
export type Plain = Readonly<Record<string, unknown>>

/** Stands where nothing is known of a text but that it is one. */
export const unknownText = 'text'

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown) => (Array.isArray(value) ? (value as Plain[]) : [])

/**
 * A value that a schema takes: what is told of its title, or of the member by the name of both, the example that it has
 * itself, what is told of the name of the member, or else one made of its parts. An object has all its members.
 * @param name the member that it is the value of; empty for a whole body
 * @param holder title of the object that the member is of
 */
export function sample(schema: Plain, name = '', holder = ''): unknown {
  const title = String(schema['title'] ?? '')
  if (title in byTitle) return byTitle[title]
  if (`${holder}.${name}` in byMember) return byMember[`${holder}.${name}`]
  const [own] = listOf(schema['examples'])
  if (own !== undefined) return own
  if ('const' in schema) return schema['const']
  const named = byMember[name]
  const words: unknown = schema['enum']
  if (Array.isArray(words)) return words.includes(named) ? named : (schema['default'] ?? words[0])
  if (named !== undefined && takes(schema, named)) return named
  const [branch] = branchesOf(schema).filter(({ type }) => type !== 'null')
  if (branch) return sample(branch, name, holder)
  return made(schema, name, title || holder)
}

const branchesOf = ({ anyOf, oneOf }: Plain) => listOf(anyOf ?? oneOf)

/** Whether a value has the type that is asked for, and is no object with a shape of its own; tests judge the rest. */
function takes(schema: Plain, value: unknown): boolean {
  const branches = branchesOf(schema)
  if (branches.length > 0) return branches.some((branch) => takes(branch, value))
  const { type, title } = schema
  const own = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  if (own === 'object') return type === 'object' && title === undefined
  return type === own || (type === 'integer' && Number.isInteger(value)) || (type === undefined && !('$ref' in schema))
}

function made(schema: Plain, name: string, holder: string): unknown {
  switch (schema['type']) {
    case 'object': {
      const members = Object.entries(isPlain(schema['properties']) ? schema['properties'] : {})
      const values = members.map(([member, inner]) => [member, sample(inner as Plain, member, holder)] as const)
      return Object.fromEntries(values.filter(([, value]) => value !== undefined))
    }
    case 'array':
      return isPlain(schema['items']) ? [sample(schema['items'], name, holder)] : []
    case 'integer':
    case 'number':
      return schema['default'] ?? schema['minimum'] ?? 1
    case 'boolean':
      return schema['default'] ?? false
    case 'string':
      return schema['default'] ?? byFormat[String(schema['format'])] ?? unknownText
    case 'null':
      return null
    default:
      return {}
  }
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
}
