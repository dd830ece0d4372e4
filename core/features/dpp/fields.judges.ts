import type { Violation } from '../../kernel/problem.ts'
import { isHarmfulAddress } from '../../kernel/text/addresses.ts'
import type { FieldDefinition } from './fields.schema.ts'
import { codePoints, isImageAddress, isPlainJson, isStorable, isWebAddress, readDate } from './fields.values.ts'

/** Levels a value of type `json` may nest. */
const jsonDepth = 20
/** Violations collected before a check gives up. */
const mostViolations = 100

/** What a check found so far; past 100 violations it takes no more. */
export class Findings {
  readonly list: Violation[] = []

  get full(): boolean {
    return this.list.length >= mostViolations
  }

  add(path: string, code: string, message: string): void {
    if (!this.full) this.list.push({ path, code, message })
  }
}

export type Judge = (value: unknown, at: string, findings: Findings) => void

/** The path of a member below `at`; empty stands for the root. */
const below = (at: string, name: string) => at === '' ? name : `${at}.${name}`

/** Judges an object against the definitions of its members. */
export function membersJudge(definitions: readonly FieldDefinition[]): Judge {
  const judges = new Map(definitions.map((definition) => [definition.name, judgeOf(definition)]))
  const required = definitions.filter((definition) => isDemanded(definition)).map((definition) => definition.name)
  return (values, at, findings) => {
    if (!isObject(values)) return findings.add(at, 'type', 'must be an object')
    for (const name of Object.keys(values)) {
      if (findings.full) return
      const judge = judges.get(name)
      if (!judge) findings.add(below(at, name), 'unknown_member', 'is no field of the sheet')
      else if (values[name] !== null && values[name] !== undefined) judge(values[name], below(at, name), findings)
    }
    for (const name of required) {
      if (!Object.hasOwn(values, name) || values[name] === null || values[name] === undefined) {
        findings.add(below(at, name), 'required', 'is required')
      }
    }
  }
}

/** Whether a value has to be sent: required, and nothing stands in for it. */
export function isDemanded({ required, default: standard }: FieldDefinition): boolean {
  return required === true && (standard === undefined || standard === null)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Judges a present value (never null) of one definition. */
export function judgeOf(definition: FieldDefinition): Judge {
  switch (definition.type) {
    case 'string': return stringJudge(definition)
    case 'text': return textJudge(() => null)
    case 'number': return numberJudge(definition)
    case 'boolean': return (value, at, findings) => {
      if (typeof value !== 'boolean') findings.add(at, 'type', 'must be true or false')
    }
    case 'date': return dateJudge(definition)
    case 'url': return textJudge((text) => isWebAddress(text) ? null : 'must be an absolute http or https URL')
    case 'image': return textJudge((text) => isImageAddress(text) ? null : 'must be an http, https or ipfs URL')
    case 'enum': return enumJudge(definition)
    case 'json': return (value, at, findings) => {
      if (isPlainJson(value, jsonDepth)) return judgeTexts(value, at, findings)
      findings.add(at, 'format', `must be JSON of at most ${jsonDepth} levels, without NUL`)
    }
    case 'array': return arrayJudge(definition)
    case 'object': return membersJudge(definition.fields ?? [])
  }
}

const harmful = 'must not be an address that runs something or opens a file'

/** Texts anywhere in a value of JSON. */
function judgeTexts(value: unknown, at: string, findings: Findings): void {
  if (typeof value === 'string' && isHarmfulAddress(value)) findings.add(at, 'address', harmful)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    judgeTexts(member, Array.isArray(value) ? `${at}[${name}]` : below(at, name), findings)
  }
}

/** Text that can be stored; `refusal` says what else is wrong with it. */
function textJudge(refusal: (text: string) => string | null): Judge {
  return (value, at, findings) => {
    if (typeof value !== 'string') return findings.add(at, 'type', 'must be a string')
    if (!isStorable(value)) return findings.add(at, 'format', 'must not hold NUL or half a surrogate pair')
    if (isHarmfulAddress(value)) return findings.add(at, 'address', harmful)
    const message = refusal(value)
    if (message !== null) findings.add(at, 'format', message)
  }
}

function stringJudge({ minLength = 0, maxLength = Infinity }: FieldDefinition): Judge {
  const oneLine = textJudge((text) => /[\n\r\v\f\u0085\u2028\u2029]/.test(text) ? 'must be one line' : null)
  const measured = minLength > 0 || maxLength < Infinity
  return (value, at, findings) => {
    oneLine(value, at, findings)
    if (!measured || typeof value !== 'string') return
    judgeLength(codePoints(value), { what: 'length', minLength, maxLength }, at, findings)
  }
}

interface Lengths { what: 'length' | 'items'; minLength: number; maxLength: number }

function judgeLength(length: number, { what, minLength, maxLength }: Lengths, at: string, findings: Findings): void {
  const unit = what === 'length' ? 'characters' : 'elements'
  if (length < minLength) findings.add(at, `min_${what}`, `must have at least ${minLength} ${unit}`)
  if (length > maxLength) findings.add(at, `max_${what}`, `must have at most ${maxLength} ${unit}`)
}

function numberJudge({ min, max }: FieldDefinition): Judge {
  return (value, at, findings) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return findings.add(at, 'type', 'must be a number')
    if (typeof min === 'number' && value < min) findings.add(at, 'min_value', `must be at least ${min}`)
    if (typeof max === 'number' && value > max) findings.add(at, 'max_value', `must be at most ${max}`)
  }
}

/** A bound without a time covers its whole day: `max: 2026-12-31` takes every instant of that day in UTC. */
function dateJudge({ min, max }: FieldDefinition): Judge {
  const earliest = typeof min === 'string' ? readDate(min)?.first ?? -Infinity : -Infinity
  const latest = typeof max === 'string' ? readDate(max)?.last ?? Infinity : Infinity
  return (value, at, findings) => {
    if (typeof value !== 'string') return findings.add(at, 'type', 'must be a string')
    const span = readDate(value)
    if (!span) return findings.add(at, 'format', 'must be a day YYYY-MM-DD or an RFC 3339 date-time')
    if (span.first < earliest) findings.add(at, 'min_value', `must not be before ${min}`)
    if (span.first > latest) findings.add(at, 'max_value', `must not be after ${max}`)
  }
}

function enumJudge({ variants = [] }: FieldDefinition): Judge {
  const words = new Set<unknown>(variants)
  return (value, at, findings) => {
    if (typeof value !== 'string') findings.add(at, 'type', 'must be a string')
    else if (!words.has(value)) findings.add(at, 'enum', 'must be one of the variants')
  }
}

/** A null element is an absent one: allowed unless the elements are required. */
function arrayJudge({ itemsType, minLength = 0, maxLength = Infinity }: FieldDefinition): Judge {
  const judge = itemsType && judgeOf(itemsType)
  const demanded = itemsType !== undefined && isDemanded(itemsType)
  return (value, at, findings) => {
    if (!Array.isArray(value)) return findings.add(at, 'type', 'must be an array')
    judgeLength(value.length, { what: 'items', minLength, maxLength }, at, findings)
    for (let index = 0; index < value.length && !findings.full; index += 1) {
      const item: unknown = value[index]
      if (item !== null && item !== undefined) judge?.(item, `${at}[${index}]`, findings)
      else if (demanded) findings.add(`${at}[${index}]`, 'required', 'is required')
    }
  }
}
