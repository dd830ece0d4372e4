import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import { unknownText } from '../../core/http/examples/sample.ts'
import { nameFormats } from '../../core/kernel/text/characters.ts'
import { textOf } from './sources.ts'

type Json = Readonly<Record<string, unknown>>
interface Shown { where: string; pointer: string[]; value: unknown }

const document = JSON.parse(textOf('openapi.json')) as {
  paths: Record<string, Record<string, Json>>
  components: { examples: Record<string, { value?: unknown }> }
}
const recordOf = (value: unknown) => (value ?? {}) as Record<string, Json>

/** The examples of one media type, or of a parameter. */
function ofMedia(media: Json, where: string, pointer: string[]): Shown[] {
  if ('example' in media) return [{ where, pointer: [...pointer, 'schema'], value: media['example'] }]
  return Object.values(recordOf(media['examples'])).map((one) => {
    const name = String(one['$ref']).split('/').at(-1) ?? ''
    return { where: `${where} ${name}`, pointer: [...pointer, 'schema'], value: document.components.examples[name]?.value }
  })
}

/** Everything of an operation that has to have an example, with those it has. */
function placesOf(path: string, method: string, operation: Json): { where: string; shown: Shown[] }[] {
  const at = (...more: string[]) => ['paths', path, method, ...more]
  const id = String(operation['operationId'])
  const contents = (holder: unknown, where: string, pointer: string[]) =>
    Object.entries(recordOf(recordOf(holder)['content'])).map(([type, media]) =>
      ({ where: `${where} ${type}`, shown: ofMedia(media, `${where} ${type}`, [...pointer, 'content', type]) }))
  const parameters = (operation['parameters'] as Json[]).flatMap((one, index) => {
    const where = `${id} ${String(one['name'])}`
    const pointer = at('parameters', String(index))
    return 'content' in one ? contents(one, where, pointer) : [{ where, shown: ofMedia(one, where, pointer) }]
  })
  const answers = Object.entries(recordOf(operation['responses'])).flatMap(([status, response]) =>
    contents(response, `${id} ${status}`, at('responses', status)))
  return [...parameters, ...contents(operation['requestBody'], `${id} body`, at('requestBody')), ...answers]
}

const places = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => placesOf(path, method, operation)))

const escape = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Members of an example of which nothing is known but that they are texts. */
function unknowns(value: unknown, path: string): string[] {
  if (value === unknownText) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => unknowns(inner, `${path}.${name}`))
}

describe('The house: examples of the document', () => {
  it('every parameter, body and answer has one', () => {
    expect(places.length).to.be.greaterThan(800)
    expect(places.filter(({ shown }) => shown.length === 0).map(({ where }) => where)).to.deep.equal([])
  })

  it('each is what its schema takes', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
    for (const [name, isOne] of Object.entries(nameFormats)) ajv.addFormat(name, isOne)
    ajv.addSchema(document, 'document')
    const wrong = places.flatMap(({ shown }) => shown).flatMap(({ where, pointer, value }) => {
      const validate = ajv.compile({ $ref: `document#/${pointer.map(escape).join('/')}` })
      return validate(value) ? [] : [`${where}: ${ajv.errorsText(validate.errors)}`]
    })
    expect(wrong).to.deep.equal([])
  })

  it('none says only that something is a text: core/http/examples/members.ts tells what stands in a member', () => {
    expect([...new Set(places.flatMap(({ shown }) => shown).flatMap(({ where, value }) => unknowns(value, where)))]).to.deep.equal([])
  })
})
