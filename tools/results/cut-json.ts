import { isRecord } from '../openapi.ts'

/** What was left out at one place: `shown` of `of` entries of a list, members of an object or bytes of a text. */
export interface JsonCut {
  /** The dotted path of the list, object or text; an empty path is the whole value. */
  readonly path: string
  readonly unit: 'entries' | 'members' | 'bytes'
  readonly shown: number
  readonly of: number
}

export interface CutJson {
  readonly value: unknown
  /** Empty if nothing was left out. */
  readonly cuts: readonly JsonCut[]
}

/** The highest number of cuts that an answer lists. */
export const maxListedCuts = 20

/**
 * Cuts a JSON value to at most `maxBytes` bytes of JSON. It keeps the shape: small members stay whole, long lists keep
 * their first entries, and long texts their first characters. The members of an object share the space evenly.
 */
export function cutJson(value: unknown, maxBytes: number): CutJson {
  const cutter = new JsonCutter()
  return { value: cutter.cutValue(value, maxBytes, ''), cuts: cutter.cuts }
}

/** Describes cuts in a sentence, at most three of them. */
export function formatCuts(cuts: readonly JsonCut[], name: string): string {
  const parts = cuts
    .slice(0, 3)
    .map(({ path, unit, shown, of }) => `the first ${shown} of ${of} ${unit}${path === '' ? '' : ` of ${path}`}`)
  const more = cuts.length > parts.length ? [`${cuts.length - parts.length} more shortened values`] : []
  return `${name} has ${[...parts, ...more].join(', ')}.`
}

/** The longest path of a cut, in characters. */
const maxPathLength = 200

/** The bytes of an empty text, list or object. */
const emptySize = 2

const countBytes = (text: string) => Buffer.byteLength(text)

class JsonCutter {
  readonly cuts: JsonCut[] = []
  readonly #sizes = new Map<object, number>()

  #recordCut(path: string, unit: JsonCut['unit'], shown: number, of: number): void {
    this.cuts.push({ path: path.slice(0, maxPathLength), unit, shown, of })
  }

  cutValue(value: unknown, budget: number, path: string): unknown {
    if (this.#getSize(value) <= budget) return value
    if (typeof value === 'string') return this.#cutText(value, budget, path)
    if (Array.isArray(value)) return this.#cutList(value, budget, path)
    if (isRecord(value)) return this.#cutMembers(value, budget, path)
    this.#recordCut(path, 'bytes', 0, this.#getSize(value))
    return null
  }

  /** Returns the bytes that a value takes as JSON. */
  #getSize(value: unknown): number {
    if (!Array.isArray(value) && !isRecord(value)) return countBytes(JSON.stringify(value) ?? 'null')
    const known = this.#sizes.get(value)
    if (known !== undefined) return known
    const entries: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    const names = Array.isArray(value) ? [] : Object.keys(value)
    const size =
      entries.reduce((sum: number, entry) => sum + this.#getSize(entry) + 1, 0)
      + names.reduce((sum, name) => sum + getNameSize(name), 0)
      + (entries.length === 0 ? 2 : 1)
    this.#sizes.set(value, size)
    return size
  }

  /** Returns the bytes that a value takes at least: texts, lists and objects can be cut, anything else cannot. */
  #getMinSize(value: unknown): number {
    const canBeCut = typeof value === 'string' || Array.isArray(value) || isRecord(value)
    return canBeCut ? emptySize : this.#getSize(value)
  }

  #cutText(text: string, budget: number, path: string): string {
    let part = text
    for (let size = this.#getSize(part); size > budget && part !== ''; size = this.#getSize(part)) {
      const end = Math.max(0, Math.min(part.length - 1, Math.floor(((part.length + 2) * budget) / size) - 2))
      // A surrogate pair stays whole.
      part = part.slice(0, /[\ud800-\udbff]/.test(part.charAt(end - 1)) ? end - 1 : end)
    }
    this.#recordCut(path, 'bytes', countBytes(part), countBytes(text))
    return part
  }

  #cutList(list: readonly unknown[], budget: number, path: string): unknown[] {
    let size = 2
    let end = 0
    while (end < list.length && size + this.#getSize(list[end]) + 1 <= budget) size += this.#getSize(list[end++]) + 1
    this.#recordCut(path, 'entries', end, list.length)
    return list.slice(0, end)
  }

  #cutMembers(members: Readonly<Record<string, unknown>>, budget: number, path: string): Record<string, unknown> {
    const names = Object.keys(members)
    let left = budget - 2
    let end = 0
    for (; end < names.length; end++) {
      const name = names[end] ?? ''
      const size = getNameSize(name) + 1 + this.#getMinSize(members[name])
      if (size > left) break
      left -= size
    }
    if (end < names.length) this.#recordCut(path, 'members', end, names.length)
    const kept = names.slice(0, end)
    const shares = new Map<string, number>()
    const bySize = kept.toSorted((a, b) => this.#getSize(members[a]) - this.#getSize(members[b]))
    bySize.forEach((name, index) => {
      const minSize = this.#getMinSize(members[name])
      const more = Math.min(this.#getSize(members[name]) - minSize, Math.floor(left / (bySize.length - index)))
      shares.set(name, minSize + more)
      left -= more
    })
    return Object.fromEntries(
      kept.map((name) => [
        name,
        this.cutValue(members[name], shares.get(name) ?? 0, path === '' ? name : `${path}.${name}`),
      ]),
    )
  }
}

/** Returns the bytes of a member's name with its colon. */
const getNameSize = (name: string) => countBytes(JSON.stringify(name)) + 1
