import type { Code } from '../../kernel/codes.ts'
import { codes } from '../../kernel/codes.ts'
import { byMedia } from './media.ts'
import { sample, type Plain } from './sample.ts'

type Reference = Record<string, { $ref: string }>

/** The examples of the document: each is written once, under its name, and referred to by what has it. */
export class Examples {
  readonly #named = new Map<string, object>()

  /** Of what is sent or answered as JSON, or in a language of its own. @param operation whose it is, where no title says it */
  of(schema: Plain | null, operation: string, type: string): { examples: Reference } {
    const name = operation.replace(/_v1$/, '')
    const title = schema?.['title']
    if (schema && typeof title === 'string') return this.#refer(title, { value: sample(schema) })
    const told = byMedia[`${name} ${type}`]
    if (told !== undefined) return this.#refer(`${name}.${type.replace(/\W+/g, '-')}`, told)
    const general = byMedia[type]
    if (general !== undefined) return this.#refer(type.replace(/\W+/g, '-'), general)
    return this.#refer(name, { value: schema === null ? {} : sample(schema) })
  }

  /** Of a refusal, one a code. */
  ofProblems(list: readonly Code[]): { examples: Reference } {
    const each = list.map((code) => this.#refer(code, { value: problemExample(code) }).examples)
    return { examples: Object.assign({}, ...each) as Reference }
  }

  /** All of them, by name. */
  components(): Record<string, object> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refer(name: string, example: object): { examples: Reference } {
    this.#named.set(name, example)
    return { examples: { [name]: { $ref: `#/components/examples/${name}` } } }
  }
}

/** A refusal with this code. */
function problemExample(code: Code): object {
  const { status, title, meaning } = codes[code]
  const invalid = status === 422 || code.startsWith('INVALID_')
  return {
    type: `https://passports.example.com/problems/${code}`,
    title,
    status,
    detail: meaning,
    instance: '/v1/dpp/passports',
    code,
    ...(invalid && code !== 'INVALID_JSON' && { errors: [{ path: pathOf(code), code: 'invalid', message: 'is not valid' }] }),
    ...(code === 'AUTH_INSUFFICIENT_PERMISSIONS' && { permission: { resource: 'dpp', action: 'create' } }),
    requestId: '018f3f72-0a1b-7c2d-8e3f-4a5b6c7d8e9f',
  }
}

const pathOf = (code: Code) =>
  code === 'INVALID_FILTER' ? 'filters[0].value' : code === 'INVALID_SORTER' ? 'sorters[0].field'
    : code === 'INVALID_PAGINATION' ? 'pageSize' : 'product.itemNumber'
