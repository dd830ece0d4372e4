import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import { unknownText } from '../../core/http/openapi/examples/create-example.ts'
import { nameFormats } from '../../core/kernel/text/characters.ts'
import { readSource } from './source-files.ts'

type Json = Readonly<Record<string, unknown>>
interface DocumentExample {
  where: string
  pointer: string[]
  value: unknown
}

const document = JSON.parse(readSource('openapi.json')) as {
  paths: Record<string, Record<string, Json>>
  components: { examples: Record<string, { value?: unknown }> }
}
const toRecord = (value: unknown) => (value ?? {}) as Record<string, Json>

/** Returns the examples of one media type or parameter. */
function listMediaExamples(media: Json, where: string, pointer: string[]): DocumentExample[] {
  if ('example' in media) return [{ where, pointer: [...pointer, 'schema'], value: media['example'] }]
  return Object.values(toRecord(media['examples'])).map((one) => {
    const name = String(one['$ref']).split('/').at(-1) ?? ''
    return {
      where: `${where} ${name}`,
      pointer: [...pointer, 'schema'],
      value: document.components.examples[name]?.value,
    }
  })
}

/** Lists everything of an operation that must have examples, with the examples that it has. */
function listExamplePlaces(
  path: string,
  method: string,
  operation: Json,
): { where: string; shown: DocumentExample[] }[] {
  const at = (...more: string[]) => ['paths', path, method, ...more]
  const id = String(operation['operationId'])
  const contents = (holder: unknown, where: string, pointer: string[]) =>
    Object.entries(toRecord(toRecord(holder)['content'])).map(([type, media]) => ({
      where: `${where} ${type}`,
      shown: listMediaExamples(media, `${where} ${type}`, [...pointer, 'content', type]),
    }))
  const parameters = (operation['parameters'] as Json[]).flatMap((one, index) => {
    const where = `${id} ${String(one['name'])}`
    const pointer = at('parameters', String(index))
    return 'content' in one ? contents(one, where, pointer) : [{ where, shown: listMediaExamples(one, where, pointer) }]
  })
  const answers = Object.entries(toRecord(operation['responses'])).flatMap(([status, response]) =>
    contents(response, `${id} ${status}`, at('responses', status)),
  )
  return [...parameters, ...contents(operation['requestBody'], `${id} body`, at('requestBody')), ...answers]
}

const places = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => listExamplePlaces(path, method, operation)),
)

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Lists the members of an example of which nothing is known except that they are texts. */
function listUnknowns(value: unknown, path: string): string[] {
  if (value === unknownText) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => listUnknowns(inner, `${path}.${name}`))
}

describe('openapi.json: examples', () => {
  it('are given for every parameter, body and answer', () => {
    expect(places.length).to.be.greaterThan(800)
    expect(places.filter(({ shown }) => shown.length === 0).map(({ where }) => where)).to.deep.equal([])
  })

  it('are valid by their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
    for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
    ajv.addSchema(document, 'document')
    const wrong = places
      .flatMap(({ shown }) => shown)
      .flatMap(({ where, pointer, value }) => {
        const validate = ajv.compile({ $ref: `document#/${pointer.map(escapePointer).join('/')}` })
        return validate(value) ? [] : [`${where}: ${ajv.errorsText(validate.errors)}`]
      })
    expect(wrong).to.deep.equal([])
  })

  it('show real values, none only the word text (see core/http/openapi/examples/members.ts)', () => {
    expect([
      ...new Set(places.flatMap(({ shown }) => shown).flatMap(({ where, value }) => listUnknowns(value, where))),
    ]).to.deep.equal([])
  })
})
