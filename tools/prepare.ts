import type { ArgumentPlan, Binding } from './arguments.ts'
import { isJson } from './body.ts'
import { endlessPath } from './numbers.ts'
import type { ExposedOperation } from './operations.ts'
import { plain, queryPairs } from './query.ts'
import type { ApiRequest } from './request.ts'
import type { Routes } from './routes.ts'
import { encodeSegment } from './segment.ts'
import type { Violation } from './violations.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** Makes the request of one operation from arguments that fit its schema. Throws ArgumentError. */
export type RequestMaker = (given: Arguments) => ApiRequest

/** Arguments that fit their schema but not the address. */
export class ArgumentError extends Error {
  override name = 'ArgumentError'
  readonly violations: readonly Violation[]

  constructor(path: string, message: string) {
    super(`${path} ${message}`)
    this.violations = [{ path, code: 'format', message }]
  }
}

/**
 * What makes the requests of an operation; whatever is the same for all of them is done here. An argument only ever
 * becomes one segment of the path, one value of the query or a part of the body.
 * @param routes all paths of this method, so that no argument spells the way to another operation.
 */
export function requestMaker(operation: ExposedOperation, plan: ArgumentPlan, routes: Routes<string>): RequestMaker {
  const pathOf = pathMaker(operation, plan, routes)
  const queryOf = queryMaker(plan)
  const bodyOf = bodyMaker(operation, plan)
  const { method } = operation
  const accept = acceptOf(operation)
  return (given) => ({ method, path: pathOf(given) + queryOf(given), accept, body: bodyOf(given) })
}

type Of<T> = (given: Arguments) => T

function pathMaker({ path }: ExposedOperation, { bindings }: ArgumentPlan, routes: Routes<string>): Of<string> {
  // Every second part is the name of a parameter.
  const parts = path.split(/\{([^{}]+)\}/)
  if (parts.length === 1) return () => path
  const names = parts.map((name, at) => (at % 2 === 0 ? name : argumentOf(bindings, name)))
  const contested = routes.contests(path)
  return (given) => {
    let filled = ''
    names.forEach((part, at) => {
      filled += at % 2 === 0 ? part : segment(part, given[part])
    })
    if (contested && routes.find(filled.slice(1).split('/').map(decodeURIComponent))?.value !== path) {
      throw new ArgumentError(names[1] ?? '', 'cannot be an id')
    }
    return filled
  }
}

const argumentOf = (bindings: readonly Binding[], name: string) =>
  bindings.find((one) => one.to === 'path' && one.parameter.name === name)?.argument ?? name

function segment(argument: string, value: unknown): string {
  const encoded = encodeSegment(plain(value))
  if (encoded === null) throw new ArgumentError(argument, 'cannot be an id')
  return encoded
}

function queryMaker({ bindings }: ArgumentPlan): Of<string> {
  const inQuery = bindings.flatMap((one) => (one.to === 'query' ? [one] : []))
  if (inQuery.length === 0) return () => ''
  return (given) => {
    const pairs = inQuery.flatMap(({ argument, parameter }) =>
      has(given, argument) ? encodable(argument, () => queryPairs(parameter, given[argument])) : [],
    )
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }
}

/** An own member: nothing that every object inherits was given. */
const has = (given: Arguments, name: string) => Object.hasOwn(given, name) && given[name] !== undefined

/** Text that is no Unicode, as half a surrogate pair, cannot be percent-encoded. */
function encodable<T>(argument: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof URIError) throw new ArgumentError(argument, 'is not well-formed text')
    throw cause
  }
}

function bodyMaker({ body }: ExposedOperation, { form, bindings }: ArgumentPlan): Of<ApiRequest['body']> {
  if (!body || !form) return () => null
  const { mediaType, required } = body
  if (form.as === 'members') {
    const membersOf = memberPicker(bindings)
    return (given) => {
      const members = membersOf(given)
      return !required && Object.keys(members).length === 0 ? null : { mediaType, content: jsonOf(members, '') }
    }
  }
  const argument = form.as === 'items' ? 'items' : 'body'
  const contentOf = form.as === 'base64' ? bytesOf : form.as === 'text' ? textOf : jsonOf
  return (given) => (has(given, argument) ? { mediaType, content: contentOf(given[argument], argument) } : null)
}

/** The members of a body, in the order in which they were given. */
function memberPicker(bindings: readonly Binding[]): Of<Arguments> {
  const others = new Set(bindings.filter(({ to }) => to !== 'member').map(({ argument }) => argument))
  if (others.size === 0) return (given) => given
  return (given) => Object.fromEntries(Object.entries(given).filter(([name]) => !others.has(name)))
}

function jsonOf(value: unknown, argument: string): string {
  const endless = endlessPath(value)
  if (endless === null) return JSON.stringify(value)
  throw new ArgumentError(`${argument}${endless}`.replace(/^\./, ''), 'is a number that is too large')
}

function textOf(value: unknown): string {
  const text = String(value)
  if (!text.isWellFormed()) throw new ArgumentError('body', 'is not well-formed text')
  return text
}

/** Source: RFC 4648, section 4, with the padding. */
function bytesOf(value: unknown): Buffer {
  const bytes = Buffer.from(String(value), 'base64')
  if (bytes.toString('base64') !== value) throw new ArgumentError('body', 'must be base64')
  return bytes
}

/** The JSON that the operation answers, in the document's order; where it answers none, whatever the API prefers. */
function acceptOf({ successes }: ExposedOperation): string {
  const types = successes.flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
  const json = types.length === 0 ? ['application/json'] : [...new Set(types.filter(isJson))]
  return json.length === 0 ? '*/*' : [...json, 'application/problem+json'].join(', ')
}
