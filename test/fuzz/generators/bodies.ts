import fc from 'fast-check'
import { isExactNumber } from '../../../core/kernel/json/json.ts'
import type { Schema } from '../document.ts'
import { changeNode, Members, toNode, Raw, withoutMember, withMember, formatNode, type Node } from './json.ts'
import { names, pollutions, values } from './payloads.ts'
import { createSample, countWays, type Place, type Sample } from './samples.ts'

/** What a refusal has to be; without it the call may also be let through. */
export interface ExpectedAnswer {
  statuses: readonly number[]
  code?: string
  /** One of the violations has one of these codes. */
  violations?: readonly string[]
}

export interface Body {
  what: string
  text: string
  wanted?: ExpectedAnswer
  /** The text stands for bytes, one a character. */
  bytes?: true
}

/** What the pipeline refuses wherever it is: no text, no number, or deeper than anyone's data. */
export function isHazard(node: Node): boolean {
  if (node instanceof Raw)
    return /^[[{]/.test(node.text) ? node.text.split(/[[{]/).length > 65 : !isExactNumber(node.text)
  if (node instanceof Members) return node.entries.some(([name, value]) => isHazard(name) || isHazard(value))
  if (Array.isArray(node)) return (node as readonly Node[]).some(isHazard)
  return typeof node === 'string' && (node.includes('\0') || !node.isWellFormed())
}

const refused: ExpectedAnswer = { statuses: [400, 422] }
const malformed: ExpectedAnswer = { statuses: [400], code: 'INVALID_JSON' }

type Change = (sample: Sample, place: Place, value: Node, name: string) => Body | null

const at = ({ path }: Place) => (path.length === 0 ? 'the body' : path.join('.'))

const another: Change = ({ node }, place, value) => ({
  what: `another value at ${at(place)}`,
  text: formatNode(changeNode(node, place.path, () => value)),
  ...(isHazard(value) && { wanted: refused }),
})

const onlyAt: Change = (sample, place, value, name) =>
  place.path.length > 0 ? another(sample, place, value, name) : null

const missing: Change = ({ node }, { path }) => {
  const name = path.at(-1)
  return typeof name === 'string'
    ? {
        what: `without ${path.join('.')}`,
        text: formatNode(changeNode(node, path.slice(0, -1), (one) => withoutMember(one, name))),
      }
    : null
}

const missingRequired: Change = ({ node }, place) => {
  const [name] = place.members?.required ?? []
  if (name === undefined) return null
  const text = formatNode(changeNode(node, place.path, (one) => withoutMember(one, name)))
  return { what: `without ${name} of ${at(place)}`, text, wanted: { statuses: [400], violations: ['required'] } }
}

const extra: Change = ({ node }, place, value, name) => {
  if (!place.members?.strict || place.members.declared.includes(name)) return null
  const text = formatNode(changeNode(node, place.path, (one) => withMember(one, name, value)))
  const violations = ['unknown_member', 'name', 'text', 'not_finite', 'not_exact', 'too_deep']
  return { what: `${JSON.stringify(name).slice(0, 60)} in ${at(place)}`, text, wanted: { statuses: [422], violations } }
}

const declared: Change = ({ node }, place, value, name) => {
  const known = place.members?.declared ?? []
  const chosen = known[name.length % Math.max(1, known.length)]
  if (chosen === undefined) return null
  const text = formatNode(changeNode(node, place.path, (one) => withMember(withoutMember(one, chosen), chosen, value)))
  return { what: `${chosen} of ${at(place)} is another value`, text, ...(isHazard(value) && { wanted: refused }) }
}

const polluting: Change = ({ node }, place, _, name) => {
  if (!place.members) return null
  const pair = pollutions[name.length % pollutions.length]
  if (!pair) return null
  const text = formatNode(changeNode(node, place.path, (one) => withMember(one, pair[0], pair[1])))
  const wanted: ExpectedAnswer = { statuses: [422], violations: ['unknown_member'] }
  return { what: `${pair[0]} in ${at(place)}`, text, ...(place.members.strict && { wanted }) }
}

const twice: Change = ({ node }, place, value) => {
  let named: string | undefined
  const body = changeNode(node, place.path, (one) => {
    named = one instanceof Members ? one.entries[0]?.[0] : undefined
    return named === undefined ? one : withMember(one, named, isHazard(value) ? null : value)
  })
  return named === undefined
    ? null
    : { what: `${named} of ${at(place)} twice`, text: formatNode(body), wanted: malformed }
}

const renamed: Change = ({ node }, { path }, _, name) => {
  const last = path.at(-1)
  if (typeof last !== 'string') return null
  const rename = (one: Node) =>
    one instanceof Members
      ? new Members(one.entries.map(([own, value]) => [own === last ? name : own, value] as const))
      : one
  return { what: `${path.join('.')} by another name`, text: formatNode(changeNode(node, path.slice(0, -1), rename)) }
}

const broken: Change = ({ node }, _, __, name) => {
  const text = formatNode(node)
  const forms: Record<string, Omit<Body, 'what'>> = {
    'cut short': { text: text.slice(0, -1), wanted: malformed },
    'more behind it': { text: `${text}]`, wanted: malformed },
    nothing: { text: '', wanted: malformed },
    'a byte of no character': {
      text: text.includes('"') ? text.replace('"', '"\xff') : '\xff',
      bytes: true,
      wanted: malformed,
    },
    'half of a character': {
      text: text.includes('"') ? text.replace('"', '"\xc3') : '"\xc3"',
      bytes: true,
      wanted: malformed,
    },
    'UTF-16': { text: Buffer.from(text, 'utf16le').toString('latin1'), bytes: true, wanted: malformed },
    'single quotes': { text: text.includes('"') ? text.replaceAll('"', "'") : "{'a':1}", wanted: malformed },
    'no number': { text: text.replace(/.$/, ',"a":NaN}'), wanted: malformed },
    null: { text: 'null', wanted: refused },
    text: { text: '"text"', wanted: refused },
    number: { text: '1e400', wanted: refused },
    'ten thousand brackets': { text: '['.repeat(10_000), wanted: malformed },
  }
  const all = Object.entries(forms)
  const chosen = all[name.length % all.length]
  return chosen ? { what: chosen[0], ...chosen[1] } : null
}

/** Changes by how often they are tried. A body of another kind is not tried for what only exists in objects. */
const changes: readonly (readonly [number, Change])[] = [
  [6, onlyAt],
  [4, extra],
  [3, declared],
  [2, polluting],
  [2, twice],
  [1, missing],
  [1, missingRequired],
  [1, renamed],
  [2, broken],
  [1, another],
]

/** Hostile bodies of a schema: a valid one with one thing changed. */
export function hostileBodies(schema: Schema): fc.Arbitrary<Body> {
  const samples = [true, false].flatMap((whole) =>
    Array.from({ length: countWays(schema) }, (_, way) => createSample(schema, whole, way)),
  )
  const change = fc.oneof(...changes.map(([weight, made]) => ({ weight, arbitrary: fc.constant(made) })))
  return fc.constantFrom(...samples).chain((sample) =>
    fc
      .tuple(change, fc.constantFrom(...sample.places), values, names)
      .map(([made, place, value, name]) => made(sample, place, value, name))
      .filter((body) => body !== null),
  )
}

/** A body with every object in it given members that are not its own, one after the other. */
export const foreignBodies = (schema: Schema): readonly Body[] =>
  Array.from({ length: countWays(schema) }, (_, way) => createSample(schema, true, way)).flatMap((sample) =>
    sample.places.flatMap((place) =>
      [
        extra(sample, place, 'foreign', 'organization'),
        ...['a', 'ab'].map((name) => polluting(sample, place, null, name)),
      ].filter((body) => body !== null),
    ),
  )

/** Bodies as they should be. */
export const validBodies = (schema: Schema): readonly Body[] =>
  [true, false].flatMap((whole) =>
    Array.from({ length: countWays(schema) }, (_, way) => ({
      what: `as it should be, ${whole ? 'all' : 'the least'} of it`,
      text: formatNode(createSample(schema, whole, way).node),
    })),
  )

/** Bodies for operations that take none. */
export const strayBodies: fc.Arbitrary<Body> = values.map((value) => ({
  what: 'a body',
  text: formatNode(toNode(value)),
}))
