import { readUntpSchema, type SchemaNode } from './untp.ts'

/** A GTIN and a GLN from the range that GS1 reserves for examples. Source: GS1 General Specifications, prefix 952. */
export const exampleGtin = '09520123456788'
const exampleGln = '9520123456788'

/** The examples of texts and numbers, by the object that has the member, or by the member alone. */
const values: Readonly<Record<string, string | number>> = {
  'Product.id': `https://id.gs1.org/01/${exampleGtin}/21/S-1`,
  'Product.name': 'Weekend bag',
  idGranularity: 'item',
  modelNumber: 'BAG-7',
  batchNumber: 'LOT-7',
  itemNumber: 'S-1',
  'idScheme.id': 'https://id.gs1.org/01/',
  'idScheme.name': 'GS1 GTIN',
  'Classification.code': '420292',
  'Classification.name': 'Travel bags with an outer surface of textile materials',
  schemeId: 'https://www.wcoomd.org/en/topics/nomenclature.aspx',
  schemeName: 'Harmonized System (HS)',
  'producedAtFacility.id': `https://id.gs1.org/414/${exampleGln}`,
  'producedAtFacility.name': 'Atelier Norte',
  'Party.id': `https://id.gs1.org/417/${exampleGln}`,
  'Party.name': 'Atelier Norte',
  registeredId: 'PT500000000',
  role: 'manufacturer',
  countryCode: 'PT',
  countryName: 'Portugal',
  linkURL: 'https://example.com/declaration.pdf',
  linkName: 'Declaration of conformity',
  streetAddress: 'Rua 1',
  postalCode: '4000-001',
  addressLocality: 'Porto',
  addressRegion: 'Porto',
  'Material.name': 'Cotton',
  massFraction: 0.8,
  recycledMassFraction: 0.4,
  mediaType: 'image/png',
  imageData: 'iVBORw0KGgo=',
  'Claim.name': 'Carbon footprint',
  'metric.name': 'Carbon footprint',
  value: 1.2,
  'Score.code': 'A',
  startDate: '2026-01-01',
  endDate: '2026-12-31',
}

/** The units of measures that are no weights. Source: UN/ECE Recommendation 20. */
const unitsByMember: Readonly<Record<string, string>> = { length: 'MTR', width: 'MTR', height: 'MTR', volume: 'LTR' }

/** Members that an example has besides those that UNTP requires, because it would be empty or useless without them. */
const shownMembers: Readonly<Record<string, readonly string[]>> = {
  Product: ['itemNumber'],
  Dimension: ['weight'],
  Performance: ['metric', 'measure'],
}

/** Members of a product that are made with its credential, so that nobody sends them. */
const generatedMembers = ['type', 'characteristics']

/** A node of the schema, with the name of its definition, or else of the member that it is the schema of. */
interface NamedNode {
  node: SchemaNode
  name: string
  /** The member that has the value, through lists. */
  member: string
}

let definitions: Record<string, SchemaNode> | undefined

function resolveNode({ $ref, ...node }: SchemaNode, member: string): NamedNode {
  definitions ??= readUntpSchema().$defs
  const name = $ref?.replace('#/$defs/', '')
  return name === undefined ? { node, name: member, member } : { node: definitions[name] ?? {}, name, member }
}

/**
 * Creates an example of the value at a path of a product, as UNTP has it, with what UNTP requires below it.
 * @param path `product`, or dotted below it: `product.relatedParty[0].party`
 * @returns null for a member that UNTP does not have, or that is made with the credential
 */
export function createUntpExample(path: string): unknown {
  const [first, ...parts] = path.split(/\.|(?=\[)/)
  if (first !== 'product' || generatedMembers.includes(parts[0] ?? '')) return null
  let at = resolveNode({ $ref: '#/$defs/Product' }, first)
  let holder = ''
  for (const part of parts) {
    const next = part.startsWith('[') ? at.node.items : at.node.properties?.[part]
    if (!next) return null
    if (!part.startsWith('[')) holder = at.name === 'Measure' ? at.member : at.name
    at = resolveNode(next, part.startsWith('[') ? at.member : part)
  }
  return createNodeExample(at, holder)
}

/** @param holder name of the object that has the value; for a measure the member that the measure is of */
function createNodeExample(at: NamedNode, holder: string): unknown {
  const { node, member } = at
  if (node.type === 'object') return createObjectExample(at)
  if (node.type !== 'array') return createScalarExample(at, holder)
  const { allOf: [{ contains: { const: needed } = {} } = {}] = [], items } = node
  return items ? [needed ?? createNodeExample(resolveNode(items, member), holder)] : []
}

function createObjectExample({ node: { required = [], properties = {} }, name, member }: NamedNode): unknown {
  const names = [...required, ...(shownMembers[name] ?? [])].filter(
    (one) => name !== 'Product' || !generatedMembers.includes(one),
  )
  const holder = name === 'Measure' ? member : name
  return Object.fromEntries(
    names.map((one) => [one, createNodeExample(resolveNode(properties[one] ?? {}, one), holder)]),
  )
}

function createScalarExample({ node, member }: NamedNode, holder: string): unknown {
  if (member === 'unit') return unitsByMember[holder] ?? 'KGM'
  const known = values[`${holder}.${member}`] ?? values[member]
  if (known !== undefined) return known
  if (node.enum) return node.enum[0]
  if (node.type === 'boolean') return false
  if (node.type !== 'string') return node.minimum ?? 1
  if (node.format === 'date') return '2026-03-02'
  if (node.format === 'uri') return `https://example.com/${holder.toLowerCase()}/1`
  return member === 'name' ? holder : 'Text'
}

/** A JSON Schema in the document: its parts with a title become components of their own. */
type DocumentSchema = Record<string, unknown>

/**
 * Creates the shape of a UNTP product as a component of the OpenAPI document, which the bridge serves as a resource of
 * its own. Each definition of UNTP becomes a component too.
 */
export function createUntpDocumentSchema(): DocumentSchema {
  const { $defs } = readUntpSchema()
  const replaceReferences = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaceReferences)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, allOf: [{ contains: { const: word } = {} } = {}] = [], ...list } = value as SchemaNode
    // Tools for OpenAPI do not know `contains`.
    if (typeof word === 'string') return { ...list, description: `Has ${word} among others.` }
    const name = $ref?.replace('#/$defs/', '')
    if (name !== undefined && $defs[name])
      return {
        title: `Untp${name}`,
        description: `${name} of UNTP 0.7.0.`,
        ...(replaceReferences($defs[name]) as DocumentSchema),
      }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceReferences(inner)]))
  }
  const { properties = {}, required = [], ...product } = $defs.Product
  return {
    title: 'UntpProduct',
    description:
      'Product of UNTP 0.7.0, as `product` of a passport takes it. What is required here, readiness asks for; creating needs '
      + 'less. `id` is made where it is not sent.',
    'x-mcp-resource': 'untp-product',
    ...product,
    required: required.filter((name) => name !== 'id'),
    properties: Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !generatedMembers.includes(name))
        .map(([name, member]) => [name, replaceReferences(member)]),
    ),
  }
}
