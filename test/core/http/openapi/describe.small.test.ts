import { expect } from 'chai'
import { createOpenApiDocument } from '../../../../core/http/openapi/openapi.ts'
import { declareOperation, type Operation } from '../../../../core/kernel/operation.ts'
import { integer, object, string, Type } from '../../../../core/kernel/schema.ts'

interface Described {
  parameters: { name: string; description: string; example: unknown }[]
  responses: Record<
    string,
    {
      description: string
      headers?: { Location?: { example: string } }
      content?: Record<string, { examples: object }>
    }
  >
}

const document = { tag: 'Things', summary: 'Do it' }
const handler = async () => ({})

/** Describes one operation as the document does. */
function describeOne(operation: Operation): Described {
  const { paths } = createOpenApiDocument([operation], { version: '1' })
  const [methods] = Object.values(paths ?? {}) as unknown as Record<string, Described>[]
  return Object.values(methods ?? {})[0] as Described
}

const get = (path: string, returns: Parameters<typeof declareOperation>[0]['returns'], tag = 'Things') =>
  describeOne(
    declareOperation({
      id: 'read_thing_v1',
      method: 'GET',
      path,
      access: 'public',
      query: { size: Type.Integer() },
      returns,
      document: { ...document, tag },
    }).withReadHandler(handler),
  )

describe('GET /openapi.json: what stands for what an operation leaves out', () => {
  it('is the name of a parameter, and the noun of its path or tag', () => {
    const describeParameters = (path: string, tag?: string) =>
      get(path, { 200: object({}) }, tag).parameters.map(({ name, description }) => `${name}: ${description}`)
    expect(describeParameters('/v1/things/:id')).to.deep.equal(['id: Identifier of the thing.', 'size: size'])
    expect(describeParameters('/v1/big-bags/:id')[0]).to.equal('id: Identifier of the big bag.')
    expect(describeParameters('/:id')[0]).to.equal('id: Identifier of the thing.')
    expect(describeParameters('/v1/things/:id', 'Living things')[0]).to.equal('id: Identifier of the living thing.')
    expect(describeParameters('/v1/:appId/:ownerId')).to.deep.equal([
      'appId: Identifier of the application.',
      'ownerId: Identifier of the owner.',
      'size: size',
    ])
  })

  it('is a word for a status that has no sentence of its own', () => {
    const descriptions = Object.entries(get('/v1/things', { 203: object({}), 206: object({}) }).responses)
    expect(
      descriptions.filter(([status]) => status < '300').map(([status, { description }]) => [status, description]),
    ).to.deep.equal([
      ['203', 'Done.'],
      ['206', 'Done.'],
    ])
  })

  it('is a Location for what is created or begun, and for nothing else', () => {
    const { responses } = get('/v1/things', { 200: object({}), 201: object({}), 202: object({}) })
    expect(
      ['200', '201', '202'].map((status) => responses[status]?.headers?.Location?.example.split('/', 3)),
    ).to.deep.equal([undefined, ['', 'v1', 'things'], ['', 'v1', 'jobs']])
  })

  it('is no body where there is none, and an example where there is one', () => {
    const { responses } = get('/v1/things', { 204: null })
    expect(responses['204']).to.deep.equal({ description: 'Done.' })
    const titled = object({ size: integer('Any number.', { examples: [5] }) }, { title: 'Thing' })
    const media = get('/v1/things', {
      200: [
        { type: 'application/x-thing', description: 'A thing.', schema: titled },
        { type: 'text/plain', description: 'A text.' },
      ],
    })
    expect(
      Object.entries(media.responses['200']?.content ?? {}).map(([type, { examples }]) => [
        type,
        Object.keys(examples),
      ]),
    ).to.deep.equal([
      ['application/x-thing', ['Thing']],
      ['text/plain', ['read_thing']],
    ])
  })

  it('is nothing for a tag without a description', () => {
    const one = declareOperation({
      id: 'read_thing_v1',
      method: 'GET',
      path: '/v1/things',
      access: 'public',
      returns: { 200: string('Any text.') },
      document,
    }).withReadHandler(handler)
    const tagsOf = (tags?: Record<string, string>) =>
      createOpenApiDocument([one], { version: '1', ...(tags && { tags }) }).tags
    expect(Object.keys(tagsOf()?.[0] ?? {})).to.deep.equal(['name'])
    expect(tagsOf({ Things: 'All things.' })).to.deep.equal([{ name: 'Things', description: 'All things.' }])
  })
})
