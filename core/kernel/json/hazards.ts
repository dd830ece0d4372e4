import { formatDottedPath } from './dotted-path.ts'
import { findInexactNumbers, scanJson } from './json.ts'
import type { Issue } from '../problem.ts'

/** Maximum nesting depth of a JSON value. Real data is never deeper. */
const maxDepth = 64
const maxHazards = 100
/** Message for a number that a double cannot represent exactly. */
export const inexactMessage = 'has more digits than a number keeps; send it as text'

/** A container inside a value, and its parent containers. A path is only written out for values with an issue. */
interface ValuePosition {
  value: object
  name: string | number
  parent: ValuePosition | null
  depth: number
}

export interface HazardReport {
  hazards: Issue[]
  /** Whether any object has two members of the same name. */
  hasDuplicateNames: boolean
  /** Whether the search stopped early because the value nests too deep or has too many hazards. */
  isIncomplete: boolean
}

/**
 * Finds what JSON allows but storage does not: NUL, lone surrogates, numbers that a double cannot represent exactly,
 * unlimited nesting, and duplicate member names, of which the parser keeps the last.
 * @param value the parsed value
 * @param text the JSON text that was parsed, or null when the value does not come from JSON
 */
export function findHazards(value: unknown, text: string | null): HazardReport {
  const search = new HazardSearch(text === null || text.includes('\\u'))
  search.visitValue(value, '', null)
  for (let place = search.takeNext(); place; place = search.takeNext()) search.visitMembers(place)
  const { hazards, isIncomplete, memberCount } = search
  if (text === null || isIncomplete) return { hazards, isIncomplete, hasDuplicateNames: false }
  const scan = scanJson(text)
  if (!scan.isExact) addInexactNumbers(hazards, text)
  return { hazards, isIncomplete, hasDuplicateNames: scan.memberCount !== memberCount }
}

/** Adds the numbers that parsing changed. Numbers out of range are already in `hazards`. */
function addInexactNumbers(hazards: Issue[], text: string): void {
  const knownPaths = new Set(hazards.map(({ path }) => path))
  for (const path of findInexactNumbers(text, maxHazards)) {
    const at = path || 'body'
    if (hazards.length < maxHazards && !knownPaths.has(at))
      hazards.push({ path: at, code: 'not_exact', message: inexactMessage })
  }
}

class HazardSearch {
  readonly hazards: Issue[] = []
  isIncomplete = false
  memberCount = 0
  readonly #stack: ValuePosition[] = []
  readonly #strings: boolean

  /**
   * @param checksStrings whether strings can have hazards; in JSON in UTF-8 they only can if the text has a `\u` escape
   */
  constructor(checksStrings: boolean) {
    this.#strings = checksStrings
  }

  takeNext(): ValuePosition | undefined {
    if (this.hazards.length >= maxHazards) this.isIncomplete = true
    return this.isIncomplete ? undefined : this.#stack.pop()
  }

  visitValue(value: unknown, name: string | number, parent: ValuePosition | null): void {
    if (typeof value === 'object') {
      if (value !== null) this.#stack.push({ value, name, parent, depth: (parent?.depth ?? 0) + 1 })
    } else if (typeof value === 'string') {
      if (this.#strings && isHazardousText(value))
        this.#reportIssue(parent, name, 'text', 'has a character that is not text')
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#reportIssue(parent, name, 'not_finite', 'is past the range of a number')
    }
  }

  visitMembers(position: ValuePosition): void {
    const { value, depth, name, parent } = position
    if (depth > maxDepth) {
      this.isIncomplete = true
      return this.#reportIssue(parent, name, 'too_deep', `nests deeper than ${maxDepth}`)
    }
    if (Array.isArray(value)) return value.forEach((item, at) => this.visitValue(item, at, position))
    const names = Object.keys(value)
    this.memberCount += names.length
    for (const member of names) {
      const broken = this.#strings && isHazardousText(member)
      if (broken) this.#reportIssue(parent, name, 'name', 'has a member name that is not text')
      // An issue behind such a name gets the path of the object, because the name itself cannot be shown.
      this.visitValue((value as Record<string, unknown>)[member], broken ? '' : member, position)
    }
  }

  #reportIssue(above: ValuePosition | null, name: string | number, code: string, message: string): void {
    const parts = [String(name)]
    for (let place = above; place; place = place.parent) parts.unshift(String(place.name))
    this.hazards.push({ path: formatDottedPath(parts.filter((part) => part !== '')) || 'body', code, message })
  }
}

const isHazardousText = (text: string) => text.includes('\0') || !text.isWellFormed()
