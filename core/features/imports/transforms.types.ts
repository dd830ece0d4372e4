/** Why a value could not be made into what a mapper wants of it. `message` goes on after the name of the value. */
export class Fault {
  readonly code: string
  readonly message: string
  constructor(code: string, message: string) {
    this.code = code
    this.message = message
  }
}

/** One step on the way of a value. What is `undefined` is no value. Takes time in proportion to the value. */
export type Step = (value: unknown) => unknown

/** Characters of a text that steps take and make: a passport holds no more than 256 KiB of values. */
export const longestText = 256 * 1024

const tooLong = new Fault('too_long', `has more than ${longestText} characters`)
const notText = new Fault('not_text', 'is an object, of which no text can be made')

/** A text as it is, or a fault where it is longer than any value. */
export const bounded = (text: string): string | Fault => (text.length > longestText ? tooLong : text)

/** Most texts begin with what is no blank, and are not looked at any further. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  return !(first > 32 && first < 127) && text.trim() === ''
}

/** Whether a value is none: null, an empty list, or text with nothing but blanks, as cells are that only look empty. */
export function isNone(value: unknown): boolean {
  if (typeof value === 'string') return isBlank(value)
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** A value as text: numbers and truth values as JSON writes them, a list as its elements with commas between. */
export function textOf(value: unknown): string | Fault {
  if (typeof value === 'string') return bounded(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return notText
  const parts: string[] = []
  let length = 0
  for (const element of value) {
    if (element === null || element === undefined) continue
    const part = Array.isArray(element) ? notText : textOf(element)
    if (part instanceof Fault) return part
    length += part.length + 2
    if (length > longestText) return tooLong
    parts.push(part)
  }
  return parts.join(', ')
}

/** A step for texts; of a list each element goes through it. */
export function ofText(step: (text: string) => unknown): Step {
  return ofEach((value) => {
    const text = textOf(value)
    return text instanceof Fault ? text : step(text)
  })
}

/** A step for single values; of a list each element goes through it, and what is no value afterwards is left out. */
export function ofEach(step: Step): Step {
  return (value) => {
    if (!Array.isArray(value)) return step(value)
    const made: unknown[] = []
    for (const element of value) {
      const one = element === null ? undefined : step(element)
      if (one instanceof Fault) return one
      if (Array.isArray(one)) for (const part of one) made.push(part)
      else if (!isNone(one)) made.push(one)
    }
    return made
  }
}
