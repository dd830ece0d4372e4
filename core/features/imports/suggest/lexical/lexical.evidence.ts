import type { Destination, ValueShape } from '../../../../kernel/ports/record-sink.ts'
import type { Fit } from './lexical.fit.ts'
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
 * Writes a sentence for people that says why a column can go to a destination.
 */
export function formatEvidence(
  { id }: Pick<SourceField, 'id'>,
  { label, shape }: Pick<Destination, 'label' | 'shape'>,
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
  return `${label}: ${why}`
}
