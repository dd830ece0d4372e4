import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { DocumentError } from '../../../tools/openapi.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

type Json = Record<string, unknown>

/** Why a document is refused, after a change to it. */
function refusal(change: (document: ReturnType<typeof createBridgeDocument>) => void): string {
  const document = createBridgeDocument()
  change(document)
  try {
    readCatalogue(document, 'http://127.0.0.1:3333')
  } catch (cause) {
    if (cause instanceof DocumentError) return cause.message
    throw cause
  }
  throw new Error('the document was taken')
}

const operation = (document: ReturnType<typeof createBridgeDocument>, path: string, method: string) =>
  (document.paths[path] as Record<string, Json>)[method] as Json

describe('tools/document: reading an OpenAPI document', () => {
  it('is refused when it is no OpenAPI 3.1', () => {
    expect(
      refusal((document) => {
        document['openapi'] = '3.0.3'
      }),
    ).to.contain('OpenAPI 3.1')
    expect(
      refusal((document) => {
        delete (document as Json)['paths']
      }),
    ).to.contain('no paths')
  })

  it('is refused when a reference leaves it, and nothing is fetched', () => {
    const far = 'http://127.0.0.1:9/schema.json'
    const change = (document: ReturnType<typeof createBridgeDocument>) => {
      document.components.schemas['Size'] = { $ref: far }
    }
    expect(refusal(change)).to.contain(`create_widget: the $ref "${far}" leaves the document`)
    expect(
      refusal((document) => {
        document.components.schemas['Size'] = { $ref: 'other.json#/a' }
      }),
    ).to.contain('leaves the document')
  })

  it('is refused when a reference names nothing, or only itself', () => {
    expect(
      refusal((document) => {
        delete document.components.schemas['Size']
      }),
    ).to.contain('names nothing')
    expect(
      refusal((document) => {
        document.components.schemas['Size'] = { $ref: '#/components/schemas/Size' }
      }),
    ).to.contain('refers to itself')
    expect(
      refusal((document) => {
        document.components.schemas['Size'] = { $ref: '#/constructor/prototype' }
      }),
    ).to.contain('names nothing')
  })

  it('is refused when two operations have one name', () => {
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['x-mcp-name'] = 'draw'
      }),
    ).to.equal('two operations are named draw')
  })

  it('is refused when a hint is missing', () => {
    const change = (document: ReturnType<typeof createBridgeDocument>) => {
      delete (operation(document, '/v1/echo', 'post')['x-mcp-hints'] as Json)['openWorldHint']
    }
    expect(refusal(change)).to.equal('POST /v1/echo: x-mcp-hints.openWorldHint is not a boolean')
  })

  it('is refused when a name or a kind is not one', () => {
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['x-mcp-name'] = 'Echo it'
      }),
    ).to.contain('snake case')
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['x-mcp-type'] = 'resource'
      }),
    ).to.contain('only a GET')
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['x-mcp-type'] = 'page'
      }),
    ).to.contain('neither tool nor resource')
  })

  it('is refused when an operation needs a header, since no argument can become one', () => {
    const header = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } }
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['parameters'] = [header]
      }),
    ).to.contain('X-Tenant is required')
  })

  it('is refused when a schema is no schema', () => {
    expect(
      refusal((document) => {
        document.components.schemas['Echo'] = { type: 'object', properties: { value: { type: 'text' } } }
      }),
    ).to.match(/^echo: inputSchema: /)
  })

  it('is refused when a path has a parameter that is not described', () => {
    expect(
      refusal((document) => {
        operation(document, '/v1/widgets/{id}/token', 'get')['parameters'] = []
      }),
    ).to.contain('{id} is not a parameter')
  })
})
