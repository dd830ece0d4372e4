import { readFileSync } from 'node:fs'

/** The parts of a JSON Schema of UNTP that are read here. */
interface SchemaNode {
  $ref?: string
  type?: string
  format?: string
  enum?: string[]
  items?: SchemaNode
  properties?: Record<string, SchemaNode>
  allOf?: { contains?: { const?: string } }[]
}

const schemaFile = new URL('../../../core/features/dpp/content/dpp-0.7.0.schema.json', import.meta.url)

/** A product that has every member of UNTP, and what a page must show of it. */
export interface FullProduct {
  product: Record<string, unknown>
  /** The texts of the product, each of which stands in it once. */
  texts: string[]
  /** The names of all members that UNTP has anywhere in a product. */
  names: Set<string>
}

/** The members that are made with the credential, or that say the kind of an object. */
const generatedMembers = new Set(['type', 'characteristics'])

/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Creates a product with every member of UNTP, each text different from all others. */
export function createFullProduct(): FullProduct {
  const { $defs } = JSON.parse(readFileSync(schemaFile, 'utf8')) as { $defs: Record<string, SchemaNode> }
  const texts: string[] = []
  const names = new Set<string>()
  const addText = (text: string) => {
    texts.push(text)
    return text
  }
  const create = (reference: SchemaNode, name: string): unknown => {
    const node = reference.$ref === undefined ? reference : ($defs[reference.$ref.replace('#/$defs/', '')] ?? {})
    if (node.enum) return node.enum.at(-1)
    if (node.type === 'array') return [create(node.items ?? {}, name)]
    if (node.type === 'object') return createObject(node)
    if (node.type === 'boolean') return true
    if (node.type === 'number' || node.type === 'integer') return createNumber(name)
    return createText(node, name)
  }
  const createNumber = (name: string) => {
    if (name.toLowerCase().endsWith('massfraction')) return 0.25
    const number = 1_000 + texts.length
    addText(String(number))
    return number
  }
  const createText = (node: SchemaNode, name: string): string => {
    if (name === 'imageData') return pixel
    if (name === 'mediaType') return 'image/png'
    if (name === 'countryCode') return 'PT'
    if (name === 'unit') return 'KGM'
    if (node.format === 'date') return `2026-03-${String((texts.length % 28) + 1).padStart(2, '0')}`
    if (node.format === 'uri') return addText(`https://example.com/text-${texts.length}-`)
    return addText(`text-${texts.length}-`)
  }
  const createObject = ({ properties = {} }: SchemaNode): Record<string, unknown> => {
    const own = Object.entries(properties).filter(([name]) => !generatedMembers.has(name))
    for (const [name] of own) names.add(name)
    const kind = properties['type']?.allOf?.[0]?.contains?.const
    return {
      ...(kind !== undefined && { type: [kind] }),
      ...Object.fromEntries(own.map(([name, member]) => [name, create(member, name)])),
    }
  }
  const { type: _, ...product } = createObject($defs['Product'] ?? {})
  return { product: { ...product, idGranularity: 'item' }, texts, names }
}
