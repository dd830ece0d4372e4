import { expect } from 'chai'
import { request } from 'undici'
import { documentText } from '../../core/commands/openapi.ts'
import { codes } from '../../core/kernel/codes.ts'
import { jobs } from '../../core/jobs.ts'
import { jobTypes } from '../../core/kernel/job.ts'
import { platform } from '../support/platform.ts'
import { textOf } from './sources.ts'

interface Member { description?: string; $ref?: string; properties?: Record<string, Member>; items?: Member; anyOf?: Member[]; type?: string }

const document = JSON.parse(textOf('openapi.json')) as {
  components: { schemas: Record<string, Member> }
  paths: Record<string, Record<string, {
    operationId: string; summary: string; tags: string[]; 'x-mcp-name'?: string; 'x-mcp-hints'?: object; parameters: { name: string; description?: string }[]
  }>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, ...one })))

const words = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Members without a description, or with one that only says their name again. */
function undescribed(schema: Member, path: string): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const { description } = member
    const known = member.$ref !== undefined || member.anyOf?.some((branch) => branch.$ref !== undefined || branch.description !== undefined)
    const bad = description === undefined ? !known : words(description) === words(name) || words(description) === `the${words(name)}`
    return [...(bad ? [`${path}.${name}`] : []), ...undescribed(member, `${path}.${name}`)]
  })
  return [...own, ...(schema.items ? undescribed(schema.items, `${path}[]`) : []), ...(schema.anyOf ?? []).flatMap((branch) => undescribed(branch, path))]
}

describe('The house: the document', () => {
  it('openapi.json is what the operations say', () => {
    expect(textOf('openapi.json') === documentText(), 'run npm run openapi').to.equal(true)
  })

  it('the running server serves the committed bytes', async () => {
    const answer = await request(`${platform.api}/openapi.json`)
    expect(await answer.body.text()).to.equal(textOf('openapi.json'))
    expect(answer.headers['cache-control']).to.equal('public, max-age=60')
    const again = await request(`${platform.api}/openapi.json`, { headers: { 'if-none-match': String(answer.headers['etag']) } })
    expect(again.statusCode).to.equal(304)
  })

  it('describes every schema and every member in more words than its name', () => {
    expect(Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribed(schema, name))).to.deep.equal([])
  })

  it('describes every parameter', () => {
    const wrong = operations.flatMap(({ operationId, parameters }) => parameters.filter((one) => !one.description || words(one.description) === words(one.name)).map((one) => `${operationId} ${one.name}`))
    expect(wrong).to.deep.equal([])
  })

  it('names operations once, in snake case with the version', () => {
    const ids = operations.map((one) => one.operationId)
    expect(ids.filter((id) => !/^[a-z][a-z0-9_]*_v1$/.test(id))).to.deep.equal([])
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('names a tool as its operation, with all four hints', () => {
    const exposed = operations.filter((one) => one['x-mcp-name'] !== undefined)
    expect(exposed.filter((one) => `${one['x-mcp-name']}_v1` !== one.operationId).map((one) => one.operationId)).to.deep.equal([])
    expect(exposed.filter((one) => Object.keys(one['x-mcp-hints'] ?? {}).length !== 4).map((one) => one.operationId)).to.deep.equal([])
  })

  it('says to the bridge only what the bridge reads', () => {
    const read = ['type', 'name', 'hints', 'confirm', 'ask', 'requires', 'toolset', 'header', 'omit'].map((word) => `x-mcp-${word}`)
    const said = [...textOf('openapi.json').matchAll(/"(x-mcp-[^"]*)":/g)].map(([, word]) => word ?? '')
    expect([...new Set(said)].filter((word) => !read.includes(word))).to.deep.equal([])
    expect(said).to.include.members(['x-mcp-type', 'x-mcp-name', 'x-mcp-hints', 'x-mcp-confirm'])
  })

  it('never exposes sign-in, claim or event stream routes to assistants', () => {
    const wrong = operations.filter((one) => one['x-mcp-name'] !== undefined && /^\/v1\/(auth|dpp\/claim|llm)|\/sse$/.test(one.path))
    expect(wrong.map((one) => one.operationId)).to.deep.equal([])
  })

  it('every job type that is used has exactly one handler', () => {
    const types = jobs.map((job) => job.type)
    expect(new Set(types).size).to.equal(types.length)
    expect(types.filter((type) => !jobTypes.includes(type))).to.deep.equal([])
  })

  it('the table of codes and the list in README.md are the same', () => {
    const listed = [...textOf('README.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => `${status} ${code}`)
    expect(listed.sort()).to.deep.equal(Object.entries(codes).map(([code, { status }]) => `${status} ${code}`).sort())
  })
})
