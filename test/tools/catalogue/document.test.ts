import { expect } from 'chai'
import { readCatalogue } from '../../../tools/catalogue/catalogue.ts'
import { DocumentError } from '../../../tools/openapi.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'

type Json = Record<string, unknown>

/** Why a document is refused, or what is left out of it and why, after a change to it. */
function refusal(change: (document: ReturnType<typeof createBridgeDocument>) => void): string {
  const document = createBridgeDocument()
  change(document)
  try {
    const { leftOut, tools } = readCatalogue(document, 'http://127.0.0.1:3333')
    if (leftOut.length === 0) throw new Error('the document was taken')
    expect(tools.has('update_widget')).to.equal(true)
    return leftOut.map(({ operation: name, reason }) => `${name}: ${reason}`).join('; ')
  } catch (cause) {
    if (cause instanceof DocumentError) return cause.message
    throw cause
  }
}

const operation = (document: ReturnType<typeof createBridgeDocument>, path: string, method: string) =>
  (document.paths[path] as Record<string, Json>)[method] as Json

describe('tools/document: reading an OpenAPI document', () => {
  it('is refused when it is no OpenAPI 3', () => {
    expect(
      refusal((document) => {
        document['openapi'] = '2.0'
      }),
    ).to.contain('version 3.0 or 3.1')
    expect(
      refusal((document) => {
        delete (document as Json)['paths']
      }),
    ).to.contain('no paths')
  })

  it('loses an operation with a reference that leaves it, and nothing is fetched', () => {
    const far = 'http://127.0.0.1:9/schema.json'
    const change = (document: ReturnType<typeof createBridgeDocument>) => {
      document.components.schemas['Size'] = { $ref: far }
    }
    expect(refusal(change)).to.contain(`POST /v1/widgets: the $ref "${far}" leaves the document`)
    expect(
      refusal((document) => {
        document.components.schemas['Size'] = { $ref: 'other.json#/a' }
      }),
    ).to.contain('leaves the document')
  })

  it('loses an operation with a reference that names nothing, or only itself', () => {
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

  it('loses the second of two operations with one name', () => {
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['x-mcp-name'] = 'draw'
      }),
    ).to.equal('POST /v1/draw: another operation is named draw')
  })

  it('loses an operation with a hint that is none, and derives the hints that are absent', () => {
    const change = (document: ReturnType<typeof createBridgeDocument>) => {
      ;(operation(document, '/v1/echo', 'post')['x-mcp-hints'] as Json)['openWorldHint'] = 'yes'
    }
    const bare = createBridgeDocument()
    for (const item of Object.values(bare.paths))
      for (const one of Object.values(item as Record<string, Json>)) delete one['x-mcp-hints']
    const { tools } = readCatalogue(bare, 'http://127.0.0.1:3333')
    const hints = [...tools.values()].map(
      ({ operation: { method, hints: derived } }) => `${method} ${JSON.stringify(derived)}`,
    )
    expect([...new Set(hints)].sort()).to.deep.equal([
      'DELETE {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}',
      'GET {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}',
      'PATCH {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}',
      'POST {"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}',
    ])
    expect(refusal(change)).to.equal('POST /v1/echo: x-mcp-hints.openWorldHint is not a boolean')
  })

  it('loses an operation whose name or kind is not one', () => {
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

  it('loses an operation that needs a header, since no argument can become one', () => {
    const header = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } }
    expect(
      refusal((document) => {
        operation(document, '/v1/echo', 'post')['parameters'] = [header]
      }),
    ).to.contain('X-Tenant is required')
  })

  it('loses an operation when the link to the result of its job leads to no GET, or lacks a value for its path', () => {
    const refuse = (link: object) =>
      refusal((document) => {
        const { responses } = operation(document, '/v1/widgets/publish', 'post')
        const [accepted] = Object.values(responses as Record<string, Record<string, unknown>>)
        Object.assign(accepted ?? {}, { links: { widget: { ...link, 'x-mcp-result': true } } })
      })
    expect(refuse({ operationId: 'publish_widgets_v1' })).to.contain('link widget: there is no GET publish_widgets_v1')
    const parameters = { id: '$request.path.id' }
    expect(refuse({ operationId: 'get_widget_v1', parameters })).to.contain('link widget: id is no value of the body')
  })

  it('loses an operation whose schema is no schema', () => {
    expect(
      refusal((document) => {
        document.components.schemas['Echo'] = { type: 'object', properties: { value: { type: 'text' } } }
      }),
    ).to.match(/^POST \/v1\/echo: inputSchema: /)
  })

  it('loses an operation whose path has a parameter that is not described', () => {
    expect(
      refusal((document) => {
        operation(document, '/v1/widgets/{id}/token', 'get')['parameters'] = []
      }),
    ).to.contain('{id} is not a parameter')
  })
})
