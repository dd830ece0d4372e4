import { expect } from 'chai'
import { SharedSchemas } from '../../../../core/http/openapi/openapi.schemas.ts'
import type { TSchema } from '../../../../core/kernel/schema.ts'

const size = { type: 'integer', title: 'Size' }
const sizeReference = { $ref: '#/components/schemas/Size' }
const share = (schemas: SharedSchemas, schema: object) => schemas.share(schema as TSchema)

describe('GET /openapi.json: schemas with a title', () => {
  it('are written once, by name, and referred to wherever they stand', () => {
    const schemas = new SharedSchemas()
    const union = { anyOf: [size, { type: 'null' }], title: 'Maybe' }
    expect(share(schemas, union)).to.deep.equal({ $ref: '#/components/schemas/Maybe' })
    const box = { type: 'object', title: 'Box', properties: { sizes: { type: 'array', items: size }, maybe: union } }
    expect(share(schemas, box)).to.deep.equal({ $ref: '#/components/schemas/Box' })
    const all = schemas.listSchemas()
    expect(Object.keys(all)).to.deep.equal(['Box', 'Maybe', 'Size'])
    expect(all).to.deep.equal({
      Box: {
        type: 'object',
        title: 'Box',
        properties: {
          sizes: { type: 'array', items: sizeReference },
          maybe: { $ref: '#/components/schemas/Maybe' },
        },
      },
      Maybe: { anyOf: [sizeReference, { type: 'null' }], title: 'Maybe' },
      Size: size,
    })
  })

  it('are not what has no title, or a member that is called title', () => {
    const schemas = new SharedSchemas()
    for (const schema of [
      { type: 'integer' },
      { title: 'Any' },
      { type: 'object', properties: { title: { type: 'string' } } },
      { type: 'object', properties: {}, default: { title: 'Any' } },
    ])
      expect(share(schemas, schema)).to.deep.equal(schema)
    expect(schemas.listSchemas()).to.deep.equal({})
  })

  it('must be the same wherever they have the same title', () => {
    const schemas = new SharedSchemas()
    share(schemas, size)
    expect(share(schemas, size)).to.deep.equal(sizeReference)
    expect(() => share(schemas, { ...size, minimum: 1 })).to.throw('Two schemas share the title Size')
  })
})
