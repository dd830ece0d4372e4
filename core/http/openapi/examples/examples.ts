import type { ProblemCode } from '../../../kernel/problem-codes.ts'
import { problemCodes } from '../../../kernel/problem-codes.ts'
import { examplesByMedia } from './media.ts'
import { createExample, type JsonSchema } from './create-example.ts'

type ExampleReference = Record<string, { $ref: string }>

/** The examples of the OpenAPI document. Each is written once under its name and referenced where it is used. */
export class Examples {
  readonly #named = new Map<string, object>()

  /**
   * Creates a reference to the example of a request or response body.
   * @param operation identifier of the operation, which names the example if the schema has no title
   */
  createReference(schema: JsonSchema | null, operation: string, type: string): { examples: ExampleReference } {
    const name = operation.replace(/_v1$/, '')
    const title = schema?.['title']
    if (schema && typeof title === 'string') return this.#storeExample(title, { value: createExample(schema) })
    const ownExample = examplesByMedia[`${name} ${type}`]
    if (ownExample !== undefined) return this.#storeExample(`${name}.${type.replace(/\W+/g, '-')}`, ownExample)
    const mediaExample = examplesByMedia[type]
    if (mediaExample !== undefined) return this.#storeExample(type.replace(/\W+/g, '-'), mediaExample)
    return this.#storeExample(name, { value: schema === null ? {} : createExample(schema) })
  }

  /** Creates references to the examples of problems, one for each code. */
  createProblemReferences(list: readonly ProblemCode[]): { examples: ExampleReference } {
    const each = list.map((code) => this.#storeExample(code, { value: createProblemExample(code) }).examples)
    return { examples: Object.assign({}, ...each) as ExampleReference }
  }

  /** Lists all examples by name. */
  listExamples(): Record<string, object> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #storeExample(name: string, example: object): { examples: ExampleReference } {
    this.#named.set(name, example)
    return { examples: { [name]: { $ref: `#/components/examples/${name}` } } }
  }
}

/** Creates an example of a problem with this code. */
function createProblemExample(code: ProblemCode): object {
  const { status, title, meaning } = problemCodes[code]
  const isValidation = status === 422 || code.startsWith('INVALID_')
  return {
    type: `https://passports.example.com/problems/${code}`,
    title,
    status,
    detail: meaning,
    instance: '/v1/dpp/passports',
    code,
    ...(isValidation
      && code !== 'INVALID_JSON' && {
        errors: [{ path: getExamplePath(code), code: 'invalid', message: 'is not valid' }],
      }),
    ...(code === 'AUTH_INSUFFICIENT_PERMISSIONS' && { permission: { resource: 'dpp', action: 'create' } }),
    requestId: '018f3f72-0a1b-7c2d-8e3f-4a5b6c7d8e9f',
  }
}

const getExamplePath = (code: ProblemCode) =>
  code === 'INVALID_FILTER'
    ? 'filters[0].value'
    : code === 'INVALID_SORTER'
      ? 'sorters[0].field'
      : code === 'INVALID_PAGINATION'
        ? 'pageSize'
        : 'product.itemNumber'
