import type { Reader } from './mapping.jsonpath.ts'
import type { Making } from './mapping.rows.ts'
import { Fault, bounded, isNone, textOf } from './transforms.types.ts'

const notInLookup = new Fault('not_in_lookup', 'is not in the lookup, which has no default')

/** The value of a row before its transforms: undefined where there is none, or a fault. */
export function makerOf(making: Making, readers: readonly Reader[]): Reader {
  const [first = () => undefined] = readers
  switch (making.kind) {
    case 'field': return first
    case 'constant': return () => making.value
    case 'lookup': return lookedUp(first, making)
    case 'template': return filled(making.texts, readers)
    case 'concat': return joined(making.joint, readers)
  }
}

/** Found as it stands, else without blanks at its ends. */
function lookedUp(read: Reader, { lookup, other }: Extract<Making, { kind: 'lookup' }>): Reader {
  return (item) => {
    const value = read(item)
    if (isNone(value)) return undefined
    const text = value instanceof Fault ? value : textOf(value)
    if (text instanceof Fault) return text
    return lookup.get(text) ?? lookup.get(text.trim()) ?? other ?? notInLookup
  }
}

/** A template of which no source has a value has none itself; a source without value leaves its place empty. */
function filled(texts: readonly string[], readers: readonly Reader[]): Reader {
  const [start = ''] = texts
  return (item) => {
    let text = start
    let any = false
    for (let at = 0; at < readers.length; at += 1) {
      const part = partOf(readers[at] as Reader, item)
      if (part instanceof Fault) return part
      any ||= part !== ''
      text += part + (texts[at + 1] ?? '')
    }
    return any ? bounded(text) : undefined
  }
}

/** Sources without value are left out together with the text between. */
function joined(joint: string, readers: readonly Reader[]): Reader {
  return (item) => {
    let text = ''
    for (const read of readers) {
      const part = partOf(read, item)
      if (part instanceof Fault) return part
      if (part !== '') text += text === '' ? part : joint + part
    }
    return text === '' ? undefined : bounded(text)
  }
}

function partOf(read: Reader, item: unknown): string | Fault {
  const value = read(item)
  return isNone(value) ? '' : value instanceof Fault ? value : textOf(value)
}
