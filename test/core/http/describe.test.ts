import { expect } from 'chai'
import { describe as documentOf } from '../../../core/http/describe.ts'
import type { Code } from '../../../core/kernel/codes.ts'
import { operation } from '../../../core/kernel/operation.ts'
import { string, Type } from '../../../core/kernel/schema.ts'

interface Described { responses: Record<string, { 'x-codes'?: string[] }> }

/** The codes of 404 that the document tells of an operation at this path. */
function absences(path: string, more: { params?: Record<string, ReturnType<typeof string>>; problems?: Code[] }): string[] {
  const read = operation({
    id: 'read_thing_v1', method: 'GET', path, summary: 'Read a thing', tag: 'Things', access: 'public',
    returns: { 200: Type.Object({}) }, ...more,
  }).readBy(async () => ({}))
  const paths = documentOf([read], { version: '1' }).paths as Record<string, { get: Described }>
  return Object.values(paths)[0]?.get.responses['404']?.['x-codes'] ?? []
}

describe('The document', () => {
  it('tells of every identifier in a path that it may be of nothing, whoever describes it', () => {
    const params = { name: string('Name of the thing.') }
    expect(absences('/v1/things/:name', {})).to.deep.equal(['NOT_FOUND'])
    expect(absences('/v1/things/:name', { params })).to.deep.equal(['NOT_FOUND'])
    expect(absences('/v1/things/:name', { params, problems: ['DPP_MINT_JOB_NOT_FOUND'] })).to.deep.equal(['DPP_MINT_JOB_NOT_FOUND'])
    expect(absences('/v1/things', {})).to.deep.equal([])
  })

  it('has no defaults for a page where leaving it out takes every match', () => {
    const parameters = (of: { of?: ReturnType<typeof Type.Object> }) => {
      const made = operation({
        id: 'touch_things_v1', method: 'POST', path: '/v1/things', summary: 'Touch things', tag: 'Things', access: 'public',
        list: { ...of, filters: { name: { kind: 'text', operators: ['contains'] } }, sorters: ['name'] }, returns: { 200: Type.Object({}) },
      }).handledBy(async () => ({}))
      const { paths } = documentOf([made], { version: '1' }) as unknown as
        { paths: Record<string, { post: { parameters: { name: string; schema: { default?: number } }[] } }> }
      return (paths['/v1/things']?.post.parameters ?? []).filter(({ name }) => /^(currentPage|pageSize)$/.test(name))
        .map(({ schema }) => schema.default)
    }
    expect(parameters({})).to.deep.equal([undefined, undefined])
    expect(parameters({ of: Type.Object({}) })).to.deep.equal([1, 10])
  })
})
