import type { Tool } from '../catalogue/catalogue.ts'
import { splitSentences } from '../catalogue/shorten.ts'
import { isRecord, type Schema } from '../openapi.ts'

const listSentence = /^(Filters|Sorters): (.*)\.$/

/** Removes the sentences of a description that stand in `filterFields` and `sorterFields`. */
export const removeListSentences = (description: string): string =>
  splitSentences(description)
    .filter((sentence) => !listSentence.test(sentence))
    .join(' ')

/** The fields that a list takes in `filters` and in `sorters`, each with its operators where the document says them. */
export interface ListFields {
  readonly filterFields?: unknown
  readonly sorterFields?: unknown
}

/**
 * Describes the fields of a list's `filters` and `sorters`, with the operators that each takes: as the description of the
 * operation or of the parameter says, otherwise from the schema.
 */
export function describeLists({ operation, plan }: Tool): ListFields {
  const stated = new Map(
    splitSentences(operation.description).map((sentence) => {
      const [, list = '', fields] = listSentence.exec(sentence) ?? []
      return [list.toLowerCase(), fields]
    }),
  )
  const described = plan.bindings.flatMap((binding) => {
    if (binding.to !== 'query' || (binding.argument !== 'filters' && binding.argument !== 'sorters')) return []
    const { description } = binding.parameter.schema.schema
    const text = typeof description === 'string' ? description : ''
    const named = listFields(binding.schema.schema)
    const fields = stated.get(binding.argument) ?? /Fields: (.*)$/s.exec(text)?.[1] ?? (named.length > 0 ? named : text)
    return [[`${binding.argument === 'filters' ? 'filter' : 'sorter'}Fields`, fields]]
  })
  return Object.fromEntries(described) as ListFields
}

/** Lists the fields that the schema of `filters` or `sorters` names. */
export function listFields(schema: Schema): readonly string[] {
  const forms = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as unknown[]) : []
  const names = forms.flatMap((form) =>
    isRecord(form) && isRecord(form['propertyNames']) ? [form['propertyNames']] : [],
  )
  const fields: unknown = names[0]?.['enum']
  return Array.isArray(fields) ? fields.map(String) : []
}
