import type { Destination, ValueShape } from '../../../../kernel/ports/record-sink.ts'
import type { Fit } from './lexical.fit.ts'
import { parseNumberText } from './lexical.values.ts'
import type { SourceField } from '../suggestions.schema.ts'

const shapeWords: Record<ValueShape, string> = {
  text: 'short texts',
  longText: 'whole sentences',
  number: 'numbers',
  date: 'dates',
  email: 'e-mail addresses',
  phone: 'phone numbers',
  url: 'addresses',
  country: 'countries',
  granularity: 'words for model, batch or item',
  gtin: 'GTINs with a right check digit',
  boolean: 'yes or no',
}

/**
 * Writes a sentence for people that says why a column can go to a destination, and a second one if its values need a
 * change.
 */
export function formatEvidence(
  { id, example }: SourceField,
  { path, label, shape }: Pick<Destination, 'path' | 'label' | 'shape'>,
  { named, fit }: { named: boolean; fit: Fit },
): string {
  const name = id.length > 80 ? `${id.slice(0, 79)}…` : id
  const looks = `values look like ${shapeWords[shape]}`
  const why = !named
    ? `The ${looks}.`
    : fit === 'open'
      ? `The name “${name}” says it; there is no value to compare.`
      : fit === 'bad'
        ? `The name “${name}” says it, but values look unusual for it.`
        : `The name “${name}” says it, and ${looks}.`
  return `${label}: ${why}${formatAdvice(path, example)}`
}

function formatAdvice(path: string, example: unknown): string {
  const text = typeof example === 'number' ? String(example) : typeof example === 'string' ? example.trim() : ''
  if (path.endsWith('Fraction') && parseNumberText(text.replace(/\s?%$/, '')) > 1) {
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
