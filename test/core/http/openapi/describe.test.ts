import { expect } from 'chai'
// An area declares the code that a test names.
import '../../../../core/app/registry.ts'
import { createOpenApiDocument as documentOf } from '../../../../core/http/openapi/openapi.ts'
import { createExample } from '../../../../core/http/openapi/examples/create-example.ts'
import { enumFilter, textFilter, uuidFilter, type ListDeclaration } from '../../../../core/kernel/page.ts'
import type { ProblemCode } from '../../../../core/kernel/problem-codes.ts'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { string, Type } from '../../../../core/kernel/schema.ts'

interface Described {
  responses: Record<string, { 'x-codes'?: string[] }>
}

/** The codes of 404 that the document tells of an operation at this path. */
function absences(
  path: string,
  more: { params?: Record<string, ReturnType<typeof string>>; problemCodes?: ProblemCode[] },
): string[] {
  const read = declareOperation({
    id: 'read_thing_v1',
    method: 'GET',
    path,
    access: 'public',
    returns: { 200: Type.Object({}) },
    document: { tag: 'Things', summary: 'Read a thing' },
    ...more,
  }).withReadHandler(async () => ({}))
  const paths = documentOf([read], { version: '1' }).paths as Record<string, { get: Described }>
  return Object.values(paths)[0]?.get.responses['404']?.['x-codes'] ?? []
}

describe('GET /openapi.json: how operations are described', () => {
  it('tells of every identifier in a path that it may be of nothing, whoever describes it', () => {
    const params = { name: string('Name of the thing.') }
    expect(absences('/v1/things/:name', {})).to.deep.equal(['NOT_FOUND'])
    expect(absences('/v1/things/:name', { params })).to.deep.equal(['NOT_FOUND'])
    expect(absences('/v1/things/:name', { params, problemCodes: ['DPP_MINT_JOB_NOT_FOUND'] })).to.deep.equal([
      'DPP_MINT_JOB_NOT_FOUND',
    ])
    expect(absences('/v1/things', {})).to.deep.equal([])
  })

  /** The examples of the parameters of a list, by name. */
  function listExamples(list: Omit<ListDeclaration, 'rowSchema'>): Record<string, unknown> {
    const made = declareOperation({
      id: 'list_things_v1',
      method: 'GET',
      path: '/v1/things',
      access: 'public',
      list: { rowSchema: Type.Object({}), ...list },
      returns: { 200: Type.Object({}) },
      document: { tag: 'Things', summary: 'List things' },
    }).withReadHandler(async () => ({}))
    const { paths } = documentOf([made], { version: '1' }) as unknown as {
      paths: Record<string, { get: { parameters: { name: string; content?: Record<string, { example: unknown }> }[] } }>
    }
    const parameters = paths['/v1/things']?.get.parameters ?? []
    return Object.fromEntries(parameters.map(({ name, content }) => [name, content?.['application/json']?.example]))
  }

  it('has an example of a filter: of listed values, else of a text that is searched, else of the first field', () => {
    for (const [filters, field, operator, value] of [
      [
        { id: uuidFilter('eq'), name: textFilter('contains'), status: enumFilter(['draft'], 'ne') },
        'status',
        'ne',
        'draft',
      ],
      [{ id: uuidFilter('eq'), label: textFilter('eq', 'contains') }, 'label', 'contains', createExample({}, 'label')],
      [{ keeper: uuidFilter('eq') }, 'keeper', 'eq', createExample({ type: 'string', format: 'uuid' })],
      [{ shade: textFilter('ne', 'eq') }, 'shade', 'ne', createExample({ type: 'string' })],
    ] as [ListDeclaration['filters'], ...unknown[]][])
      expect(listExamples({ filters, sorters: ['id'] })['filters']).to.deep.equal([{ field, operator, value }])
  })

  it('has an example of an order: the newest first, or by the first field', () => {
    const filters = { id: uuidFilter('eq') }
    for (const [sorters, field] of [
      [['name', 'createdAt'], 'createdAt'],
      [['name', 'size'], 'name'],
    ] as const)
      expect(listExamples({ filters, sorters })['sorters']).to.deep.equal([{ field, order: 'desc' }])
  })

  it('has no defaults for a page where leaving it out takes every match', () => {
    const parameters = (of: { rowSchema?: ReturnType<typeof Type.Object> }) => {
      const made = declareOperation({
        id: 'touch_things_v1',
        method: 'POST',
        path: '/v1/things',
        access: 'public',
        list: { ...of, filters: { name: { kind: 'text', operators: ['contains'] } }, sorters: ['name'] },
        returns: { 200: Type.Object({}) },
        document: { tag: 'Things', summary: 'Touch things' },
      }).withTransactionHandler(async () => ({}))
      const { paths } = documentOf([made], { version: '1' }) as unknown as {
        paths: Record<string, { post: { parameters: { name: string; schema: { default?: number } }[] } }>
      }
      return (paths['/v1/things']?.post.parameters ?? [])
        .filter(({ name }) => /^(currentPage|pageSize)$/.test(name))
        .map(({ schema }) => schema.default)
    }
    expect(parameters({})).to.deep.equal([undefined, undefined])
    expect(parameters({ rowSchema: Type.Object({}) })).to.deep.equal([1, 10])
  })
})
