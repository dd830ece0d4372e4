import type { ValueReader } from './mapping.jsonpath.ts'
import type { ValueRule } from './mapping.rows.ts'
import { isMissing, limitText, toText, ValueIssue } from '../transforms/index.ts'

const notInLookup = new ValueIssue('not_in_lookup', 'is not in the lookup, which has no default')

/** Creates a reader of a row's value before its transforms: it returns undefined if there is none, or an issue. */
export function createValueReader(rule: ValueRule, readers: readonly ValueReader[]): ValueReader {
  const [first = () => undefined] = readers
  switch (rule.kind) {
    case 'field':
      return first
    case 'constant':
      return () => rule.value
    case 'lookup':
      return createLookupReader(first, rule)
    case 'template':
      return createTemplateReader(rule.texts, readers)
    case 'concat':
      return createConcatReader(rule.separator, readers)
  }
}

/** Creates a reader that looks a value up as it is, or else without the blanks at its ends. */
function createLookupReader(
  read: ValueReader,
  { lookup, defaultValue }: Extract<ValueRule, { kind: 'lookup' }>,
): ValueReader {
  return (item) => {
    const value = read(item)
    if (isMissing(value)) return undefined
    const text = value instanceof ValueIssue ? value : toText(value)
    if (text instanceof ValueIssue) return text
    return lookup.get(text) ?? lookup.get(text.trim()) ?? defaultValue ?? notInLookup
  }
}

/**
 * Creates a reader of a template. A source without a value leaves its place empty; if no source has a value, the
 * template has none.
 */
function createTemplateReader(texts: readonly string[], readers: readonly ValueReader[]): ValueReader {
  const [start = ''] = texts
  return (item) => {
    let text = start
    let any = false
    for (let at = 0; at < readers.length; at += 1) {
      const part = readText(readers[at] as ValueReader, item)
      if (part instanceof ValueIssue) return part
      any ||= part !== ''
      text += part + (texts[at + 1] ?? '')
    }
    return any ? limitText(text) : undefined
  }
}

/** Creates a reader that joins its sources. Sources without a value are left out together with the separator. */
function createConcatReader(separator: string, readers: readonly ValueReader[]): ValueReader {
  return (item) => {
    let text = ''
    for (const read of readers) {
      const part = readText(read, item)
      if (part instanceof ValueIssue) return part
      if (part !== '') text += text === '' ? part : separator + part
    }
    return text === '' ? undefined : limitText(text)
  }
}

function readText(read: ValueReader, item: unknown): string | ValueIssue {
  const value = read(item)
  return isMissing(value) ? '' : value instanceof ValueIssue ? value : toText(value)
}
