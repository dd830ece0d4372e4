import { dotted } from './dotted.ts'
import { inexactNumbersIn, scanJson } from './json.ts'
import type { Violation } from './problem.ts'

/** Deeper JSON than this is nobody's data. */
const maxDepth = 64
const mostTold = 100
/** What is wrong with a number that a double does not keep to the digit. */
export const inexactMessage = 'has more digits than a number keeps; send it as text'

/** A container inside a value, and how one gets there; written out only for what is at fault. */
interface Place {
  value: object
  name: string | number
  above: Place | null
  depth: number
}

export interface Found {
  hazards: Violation[]
  /** Whether some object names a member twice. */
  twice: boolean
  /** Whether the value nests so deep, or has so many hazards, that it was not looked at to its end. */
  cut: boolean
}

/**
 * What JSON allows and storage does not: NUL, lone surrogates, numbers that a double cannot carry, nesting without end;
 * and members named twice, of which parsing keeps the last. @param text what was parsed, or null where it was no JSON
 */
export function findHazards(value: unknown, text: string | null): Found {
  const search = new Search(text === null || text.includes('\\u'))
  search.look(value, '', null)
  for (let place = search.next(); place; place = search.next()) search.enter(place)
  const { hazards, cut, names } = search
  if (text === null || cut) return { hazards, cut, twice: false }
  const scan = scanJson(text)
  if (!scan.exact) addInexact(hazards, text)
  return { hazards, cut, twice: scan.names !== names }
}

/** Adds the numbers that parsing changed. Those past the range are told of already. */
function addInexact(hazards: Violation[], text: string): void {
  const known = new Set(hazards.map(({ path }) => path))
  for (const path of inexactNumbersIn(text, mostTold)) {
    const at = path || 'body'
    if (hazards.length < mostTold && !known.has(at)) hazards.push({ path: at, code: 'not_exact', message: inexactMessage })
  }
}

class Search {
  readonly hazards: Violation[] = []
  cut = false
  names = 0
  readonly #stack: Place[] = []
  readonly #strings: boolean

  /** @param strings whether texts can have hazards: JSON in UTF-8 only has them behind an escape */
  constructor(strings: boolean) {
    this.#strings = strings
  }

  next(): Place | undefined {
    if (this.hazards.length >= mostTold) this.cut = true
    return this.cut ? undefined : this.#stack.pop()
  }

  look(value: unknown, name: string | number, above: Place | null): void {
    if (typeof value === 'object') {
      if (value !== null) this.#stack.push({ value, name, above, depth: (above?.depth ?? 0) + 1 })
    } else if (typeof value === 'string') {
      if (this.#strings && isHazard(value)) this.#report(above, name, 'text', 'has a character that is not text')
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#report(above, name, 'not_finite', 'is past the range of a number')
    }
  }

  enter(place: Place): void {
    const { value, depth, name, above } = place
    if (depth > maxDepth) {
      this.cut = true
      return this.#report(above, name, 'too_deep', `nests deeper than ${maxDepth}`)
    }
    if (Array.isArray(value)) return value.forEach((item, at) => this.look(item, at, place))
    const names = Object.keys(value)
    this.names += names.length
    for (const member of names) {
      const broken = this.#strings && isHazard(member)
      if (broken) this.#report(above, name, 'name', 'has a member name that is not text')
      // What is wrong behind such a name is told of the object: the name itself is nothing to show.
      this.look((value as Record<string, unknown>)[member], broken ? '' : member, place)
    }
  }

  #report(above: Place | null, name: string | number, code: string, message: string): void {
    const parts = [String(name)]
    for (let place = above; place; place = place.above) parts.unshift(String(place.name))
    this.hazards.push({ path: dotted(parts.filter((part) => part !== '')) || 'body', code, message })
  }
}

const isHazard = (text: string) => text.includes('\0') || !text.isWellFormed()
