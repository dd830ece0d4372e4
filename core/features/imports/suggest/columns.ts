import { readColumnTexts, type SourceShape } from '../mapping/index.ts'
import type { SourceRow } from '../records/index.ts'
import { findCommonest } from './lexical/lexical.transforms.ts'
import { readValues } from './lexical/lexical.values.ts'
import type { SourceField } from './suggestions.schema.ts'

/** The first rows of what is to be mapped. */
export interface SuggestionSample {
  shape: SourceShape
  rows: readonly SourceRow[]
}

/** The number of different values of a column that show what its values look like. */
const maxLooks = 50

/** The columns of a question, with what their values show. */
export class Columns {
  readonly fields: readonly SourceField[]
  readonly sample: SuggestionSample
  /** Whether the sample has rows of the file itself, and not what the profile of each column tells. */
  readonly isWhole: boolean
  readonly #fields: ReadonlyMap<string, SourceField>
  readonly #texts = new Map<string, readonly string[]>()

  constructor(fields: readonly SourceField[], sample: SuggestionSample | undefined) {
    this.isWhole = sample !== undefined && sample.rows.length > 0
    this.sample = sample && this.isWhole ? sample : sampleFields(fields)
    this.fields = this.isWhole ? fields.map((field) => this.#showTypical(field)) : fields
    this.#fields = new Map(this.fields.map((field) => [field.id, field]))
  }

  getField(source: string | null | undefined): SourceField | undefined {
    return source === null || source === undefined ? undefined : this.#fields.get(source)
  }

  /** Returns the values of a column as texts, an empty text for each row without a value. */
  getTexts(source: string): readonly string[] {
    const known = this.#texts.get(source)
    if (known) return known
    const texts = readColumnTexts(this.sample.shape, source, this.sample.rows)
    this.#texts.set(source, texts)
    return texts
  }

  getValues(source: string): string[] {
    return this.getTexts(source).filter((text) => text !== '')
  }

  /** Returns the share of the rows with a value; null if the rows are not known. */
  getFilledShare(source: string): number | null {
    const texts = this.getTexts(source)
    return this.isWhole ? this.getValues(source).length / Math.max(1, texts.length) : null
  }

  /** Returns whether hardly a row has the value of another one; null if the rows are not known, or a single one is. */
  isUnique(source: string): boolean | null {
    const values = this.getValues(source)
    if (!this.isWhole || values.length < 2) return null
    return new Set(values).size >= values.length * 0.9
  }

  /** Replaces the example by a value that looks like most of them, as the first one may be an exception. */
  #showTypical(field: SourceField): SourceField {
    const values = [...new Set(this.getValues(field.id))].slice(0, maxLooks)
    const typical = findCommonest(values, (text) => [...readValues({ example: text }).looks].join())
    return typical === undefined ? field : { ...field, example: typical.slice(0, 1_000) }
  }
}

/** Makes rows of what is known of each column: its example, its least value and its greatest value. */
function sampleFields(fields: readonly SourceField[]): SuggestionSample {
  const rows: SourceRow[] = []
  for (const member of ['example', 'min', 'max'] as const) {
    if (!fields.some((field) => hasText(field[member]))) continue
    const value = fields.map((field) => String([field[member], field.example].find(hasText) ?? ''))
    rows.push({ line: rows.length, value, issue: null })
  }
  return { shape: { format: 'csv', columns: fields.map(({ id }) => id) }, rows }
}

const hasText = (value: SourceField['example']) => value !== undefined && value !== null && String(value).trim() !== ''
