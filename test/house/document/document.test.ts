import { expect } from 'chai'
import { generatedFiles } from '../../../core/commands/openapi.ts'
import { registry } from '../../../core/app/registry.ts'
import { jobTypes } from '../../../core/kernel/words.ts'
import { readSource } from '../source-files.ts'

interface Member {
  description?: string
  $ref?: string
  properties?: Record<string, Member>
  items?: Member
  anyOf?: Member[]
  type?: string
}

const document = JSON.parse(readSource('openapi.json')) as {
  components: { schemas: Record<string, Member> }
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        summary: string
        tags: string[]
        'x-mcp-name'?: string
        'x-mcp-hints'?: object
        parameters: { name: string; description?: string }[]
      }
    >
  >
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => ({ path, method, ...one })),
)

const normalizeWords = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Lists the members without a description, or with a description that only repeats their name. */
function listUndescribed(schema: Member, path: string): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const { description } = member
    const known =
      member.$ref !== undefined
      || member.anyOf?.some((branch) => branch.$ref !== undefined || branch.description !== undefined)
    const bad =
      description === undefined
        ? !known
        : normalizeWords(description) === normalizeWords(name)
          || normalizeWords(description) === `the${normalizeWords(name)}`
    return [...(bad ? [`${path}.${name}`] : []), ...listUndescribed(member, `${path}.${name}`)]
  })
  return [
    ...own,
    ...(schema.items ? listUndescribed(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((branch) => listUndescribed(branch, path)),
  ]
}

describe('openapi.json', () => {
  for (const { path, format } of generatedFiles) {
    it(`is generated from the areas: ${path}`, () => {
      expect(readSource(path) === format(), 'run npm run openapi').to.equal(true)
    })
  }

  it('describes every schema and every member in more words than its name', () => {
    expect(
      Object.entries(document.components.schemas)
        // The schema of UNTP is shown as UNTP has it, which describes no member.
        .filter(([name]) => !name.startsWith('Untp'))
        .flatMap(([name, schema]) => listUndescribed(schema, name)),
    ).to.deep.equal([])
  })

  it('describes every parameter', () => {
    const wrong = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter((one) => !one.description || normalizeWords(one.description) === normalizeWords(one.name))
        .map((one) => `${operationId} ${one.name}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('names operations once, in snake case with the version', () => {
    const ids = operations.map((one) => one.operationId)
    expect(ids.filter((id) => !/^[a-z][a-z0-9_]*_v1$/.test(id))).to.deep.equal([])
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('names a tool as its operation, with all four hints', () => {
    const exposed = operations.filter((one) => one['x-mcp-name'] !== undefined)
    expect(
      exposed.filter((one) => `${one['x-mcp-name']}_v1` !== one.operationId).map((one) => one.operationId),
    ).to.deep.equal([])
    expect(
      exposed.filter((one) => Object.keys(one['x-mcp-hints'] ?? {}).length !== 4).map((one) => one.operationId),
    ).to.deep.equal([])
  })

  it('says to the bridge only what the bridge reads', () => {
    const words =
      'type name hints confirm preview ask requires toolset header omit resource search secret server short result'
    const read = words.split(' ').map((word) => `x-mcp-${word}`)
    const said = [...readSource('openapi.json').matchAll(/"(x-mcp-[^"]*)":/g)].map(([, word]) => word ?? '')
    expect([...new Set(said)].filter((word) => !read.includes(word))).to.deep.equal([])
    expect(said).to.include.members(['x-mcp-type', 'x-mcp-name', 'x-mcp-hints', 'x-mcp-confirm'])
  })

  it('never exposes sign-in, claim or event stream routes to assistants', () => {
    const wrong = operations.filter(
      (one) => one['x-mcp-name'] !== undefined && /^\/v1\/(auth|dpp\/claim|llm)|\/sse$/.test(one.path),
    )
    expect(wrong.map((one) => one.operationId)).to.deep.equal([])
  })

  it('has exactly one handler for every job type', () => {
    const types = registry.jobs.map((job) => job.type)
    expect(new Set(types).size).to.equal(types.length)
    expect(types.filter((type) => !jobTypes.includes(type))).to.deep.equal([])
  })
})
