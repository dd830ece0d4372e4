import type { Catalogue } from '../tools/catalogue/catalogue.ts'
import { isRecord, type Schema } from '../tools/openapi.ts'
import type { PlanOffer } from './demo/demo-request.ts'

/** Creates the offer of a document: what can be called as a tool or read as a resource, and its networks. */
export const createCatalogueOffer = (catalogue: Catalogue): PlanOffer => ({
  hasOperation: (name) => hasOperation(catalogue, name),
  networks: listDocumentNetworks(catalogue),
  getAddress: (path) => catalogue.resources.getAddress(path),
})

function hasOperation({ tools, ownTools, resources: { statics, templates } }: Catalogue, name: string): boolean {
  return tools.has(name) || ownTools.has(name) || [...statics, ...templates].some((one) => one.name === name)
}

/** Lists the networks that a product sheet can have. */
function listDocumentNetworks({ tools }: Catalogue): readonly unknown[] {
  const schema = tools.get('create_dpp_product')?.plan.inputSchema
  const stated = getMember(getMember(schema, 'properties'), 'network')
  const name = typeof stated?.['$ref'] === 'string' ? stated['$ref'].replace('#/$defs/', '') : null
  const values = (name === null ? stated : getMember(getMember(schema, '$defs'), name))?.['enum']
  return Array.isArray(values) ? values : []
}

function getMember(schema: Schema | undefined, name: string): Schema | undefined {
  const value = schema?.[name]
  return isRecord(value) ? value : undefined
}
