import { destinations, type Shape } from './destinations.ts'
import type { Score } from './lexical.score.ts'
import { numberOf } from './lexical.values.ts'
import type { SourceField } from './suggestions.schema.ts'

const shapes: Record<Shape, string> = {
  text: 'short texts', longText: 'whole sentences', number: 'numbers', date: 'dates', email: 'e-mail addresses',
  phone: 'phone numbers', url: 'addresses', country: 'countries', granularity: 'words for model, batch or item',
  gtin: 'GTINs with a right check digit',
  boolean: 'yes or no',
}

const byPath = new Map(destinations.map((one) => [one.path, one]))

/** Why a column can go to a destination, in a sentence for people; in another what its values still need. */
export function evidenceFor({ id, example }: SourceField, { path, named, fit }: Score): string {
  const { label = path, shape = 'text' } = byPath.get(path) ?? {}
  const name = id.length > 80 ? `${id.slice(0, 79)}…` : id
  const looks = `values look like ${shapes[shape]}`
  const why = !named ? `The ${looks}.`
    : fit === 'open' ? `The name “${name}” says it; there is no value to compare.`
    : fit === 'bad' ? `The name “${name}” says it, but values look unusual for it.`
    : `The name “${name}” says it, and ${looks}.`
  return `${label}: ${why}${adviceFor(path, example)}`
}

function adviceFor(path: string, example: unknown): string {
  const text = typeof example === 'number' ? String(example) : typeof example === 'string' ? example.trim() : ''
  if (path.endsWith('Fraction') && numberOf(text.replace(/\s?%$/, '')) > 1) {
    return ' They are percentages: divide them by 100 in the file, as a share from 0 to 1 is expected.'
  }
  if (path === 'product.idGranularity' && text !== '' && !/^(?:model|batch|item)$/i.test(text)) {
    return ' Its words have to be looked up: model, batch or item is expected.'
  }
  if (path === 'product.countryOfProduction.countryCode' && text.length === 3) {
    return ' They have three letters: look them up in codes of two.'
  }
  return ''
}
