import type { FieldDefinition } from '../fields/index.ts'
import { readUntpSchema, type SchemaNode } from './untp.ts'

/** Members that are made with the credential, or that every object of UNTP has as its kind. */
const generatedMembers = new Set(['type', 'characteristics'])

/** The maximum nesting of the definitions; what lies deeper is JSON. */
const maxDepth = 6

let untpFields: readonly FieldDefinition[] | undefined

/**
 * Returns the members of UNTP's product as definitions of fields, as a sheet has them, so that forms can be made of
 * them. Only the name and the granularity are required, as in a new passport.
 * Source: UNTP Digital Product Passport 0.7.0, JSON Schema of Product.
 */
export function getUntpFields(): readonly FieldDefinition[] {
  untpFields ??= createUntpFields()
  return untpFields
}

function createUntpFields(): FieldDefinition[] {
  const { $defs } = readUntpSchema()
  const product = { ...$defs.Product, required: ['name', 'idGranularity'] }
  const createMembers = ({ properties = {}, required = [] }: SchemaNode, depth: number): FieldDefinition[] =>
    Object.entries(properties)
      .filter(([name]) => !generatedMembers.has(name))
      .map(([name, node]) => ({
        ...createDefinition(name, node, depth),
        ...(required.includes(name) && { required: true }),
      }))
  const createDefinition = (name: string, reference: SchemaNode, depth: number): FieldDefinition => {
    const node = reference.$ref === undefined ? reference : ($defs[reference.$ref.replace('#/$defs/', '')] ?? {})
    const label = createLabel(name)
    if (depth >= maxDepth) return { name, label, type: 'json' }
    if (node.enum) return { name, label, type: 'enum', variants: node.enum }
    if (node.type === 'array')
      return { name, label, type: 'array', itemsType: createDefinition('[]', node.items ?? {}, depth + 1) }
    if (node.type === 'object') return { name, label, type: 'object', fields: createMembers(node, depth + 1) }
    if (node.type === 'boolean') return { name, label, type: 'boolean' }
    if (node.type === 'number' || node.type === 'integer') return { name, label, type: 'number' }
    if (node.format === 'date') return { name, label, type: 'date' }
    return { name, label, type: name === 'description' ? 'text' : 'string' }
  }
  return createMembers(product, 1)
}

/** Creates a label from a name: `batchNumber` becomes "Batch number". */
const createLabel = (name: string): string => {
  const words = name.replace(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  )
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
