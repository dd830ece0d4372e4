/**
 * The reason why a transform cannot convert a value. `message` continues a sentence that begins with the value's name.
 */
export class ValueIssue {
  readonly code: string
  readonly message: string
  constructor(code: string, message: string) {
    this.code = code
    this.message = message
  }
}

/**
 * One step in the conversion of a value. `undefined` means no value. A step takes time in proportion to the value's
 * size.
 */
export type TransformStep = (value: unknown) => unknown

/** The maximum length of a text that a step takes or makes: a passport holds no more than 256 KiB of values. */
export const maxTextLength = 256 * 1024

const tooLong = new ValueIssue('too_long', `has more than ${maxTextLength} characters`)
const notText = new ValueIssue('not_text', 'is an object, of which no text can be made')

/** Returns the text, or an issue if the text is longer than any value can be. */
export const limitText = (text: string): string | ValueIssue => (text.length > maxTextLength ? tooLong : text)

/** Returns whether a text is blank. Most texts begin with a character that is not blank, so they are not trimmed. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  return !(first > 32 && first < 127) && text.trim() === ''
}

/**
 * Returns whether a value is missing: null, an empty list, or text of nothing but blanks, as in cells that look empty.
 */
export function isMissing(value: unknown): boolean {
  if (typeof value === 'string') return isBlank(value)
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Converts a value to text: numbers and booleans as JSON writes them, a list as its elements with commas between. */
export function toText(value: unknown): string | ValueIssue {
  if (typeof value === 'string') return limitText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return notText
  const parts: string[] = []
  let length = 0
  for (const element of value) {
    if (element === null || element === undefined) continue
    const part = Array.isArray(element) ? notText : toText(element)
    if (part instanceof ValueIssue) return part
    length += part.length + 2
    if (length > maxTextLength) return tooLong
    parts.push(part)
  }
  return parts.join(', ')
}

/** Creates a step for texts; of a list, each element goes through the step. */
export function createTextStep(step: (text: string) => unknown): TransformStep {
  return createEachStep((value) => {
    const text = toText(value)
    return text instanceof ValueIssue ? text : step(text)
  })
}

/**
 * Creates a step for single values; of a list, each element goes through the step, and missing results are left out.
 */
export function createEachStep(step: TransformStep): TransformStep {
  return (value) => {
    if (!Array.isArray(value)) return step(value)
    const made: unknown[] = []
    for (const element of value) {
      const one = element === null ? undefined : step(element)
      if (one instanceof ValueIssue) return one
      if (Array.isArray(one)) for (const part of one) made.push(part)
      else if (!isMissing(one)) made.push(one)
    }
    return made
  }
}
