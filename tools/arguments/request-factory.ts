import type { ArgumentPlan, ArgumentBinding } from './arguments.ts'
import { isJson } from './body-form.ts'
import { findInfinitePath } from './infinite-numbers.ts'
import type { ExposedOperation } from '../catalogue/operations.ts'
import { toPlainText, formatQueryPairs } from './query.ts'
import type { ApiRequest } from '../results/api-request.ts'
import type { Routes } from '../catalogue/routes.ts'
import { encodeSegment } from './segment.ts'
import type { Issue } from '../results/issues.ts'

export type ToolArguments = Readonly<Record<string, unknown>>

/** Creates the request of one operation from arguments that fit its schema. @throws ArgumentError */
export type RequestFactory = (args: ToolArguments) => ApiRequest

/** The arguments fit their schema, but no request can be built from them. */
export class ArgumentError extends Error {
  override name = 'ArgumentError'
  readonly issues: readonly Issue[]

  constructor(path: string, message: string) {
    super(`${path} ${message}`)
    this.issues = [{ path, code: 'format', message }]
  }
}

/**
 * Creates the request factory of an operation; it prepares here whatever is the same for all requests. An argument only
 * becomes one segment of the path, one value of the query or a part of the body.
 * @param routes all paths of this method, so that no argument leads to another operation
 */
export function createRequestFactory(
  operation: ExposedOperation,
  plan: ArgumentPlan,
  routes: Routes<string>,
): RequestFactory {
  const formatPath = createPathMapper(operation, plan, routes)
  const formatQuery = createQueryMapper(plan)
  const createBody = createBodyMapper(operation, plan)
  const { method } = operation
  const accept = formatAccept(operation)
  return (args) => ({ method, path: formatPath(args) + formatQuery(args), accept, body: createBody(args) })
}

type ArgumentMapper<T> = (args: ToolArguments) => T

function createPathMapper(
  { path }: ExposedOperation,
  { bindings }: ArgumentPlan,
  routes: Routes<string>,
): ArgumentMapper<string> {
  // Every second part is the name of a parameter.
  const parts = path.split(/\{([^{}]+)\}/)
  if (parts.length === 1) return () => path
  const names = parts.map((name, at) => (at % 2 === 0 ? name : getArgumentName(bindings, name)))
  const isContested = routes.isContested(path)
  return (args) => {
    let filled = ''
    names.forEach((part, at) => {
      filled += at % 2 === 0 ? part : formatSegment(part, args[part])
    })
    if (isContested && routes.find(filled.slice(1).split('/').map(decodeURIComponent))?.value !== path) {
      throw new ArgumentError(names[1] ?? '', 'cannot be an id')
    }
    return filled
  }
}

const getArgumentName = (bindings: readonly ArgumentBinding[], name: string) =>
  bindings.find((one) => one.to === 'path' && one.parameter.name === name)?.argument ?? name

function formatSegment(argument: string, value: unknown): string {
  const encoded = encodeSegment(toPlainText(value))
  if (encoded === null) throw new ArgumentError(argument, 'cannot be an id')
  return encoded
}

function createQueryMapper({ bindings }: ArgumentPlan): ArgumentMapper<string> {
  const inQuery = bindings.flatMap((one) => (one.to === 'query' ? [one] : []))
  if (inQuery.length === 0) return () => ''
  return (args) => {
    const pairs = inQuery.flatMap(({ argument, parameter }) =>
      hasArgument(args, argument)
        ? catchEncodingErrors(argument, () => formatQueryPairs(parameter, args[argument]))
        : [],
    )
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }
}

/** Returns whether an argument was given; members that every object inherits do not count. */
const hasArgument = (args: ToolArguments, name: string) => Object.hasOwn(args, name) && args[name] !== undefined

/**
 * Runs `work` and converts its encoding errors: text that is not well-formed, like half a surrogate pair, cannot be
 * percent-encoded. @throws ArgumentError
 */
function catchEncodingErrors<T>(argument: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof URIError) throw new ArgumentError(argument, 'is not well-formed text')
    throw cause
  }
}

function createBodyMapper(
  { body: declared }: ExposedOperation,
  { form, bindings }: ArgumentPlan,
): ArgumentMapper<ApiRequest['body']> {
  if (!declared || !form) return () => null
  const { mediaType, required } = declared
  if (form.as === 'members') {
    const pickMembers = createMemberPicker(bindings)
    return (args) => {
      const body = pickMembers(args)
      return !required && Object.keys(body).length === 0 ? null : { mediaType, content: formatJson(body, '') }
    }
  }
  const argument = form.as === 'items' ? 'items' : 'body'
  const formatContent = form.as === 'base64' ? decodeBase64 : form.as === 'text' ? formatText : formatJson
  return (args) =>
    hasArgument(args, argument) ? { mediaType, content: formatContent(args[argument], argument) } : null
}

/** Creates a function that picks the members of a body from the arguments, in the given order. */
function createMemberPicker(bindings: readonly ArgumentBinding[]): ArgumentMapper<ToolArguments> {
  const others = new Set(bindings.filter(({ to }) => to !== 'member').map(({ argument }) => argument))
  if (others.size === 0) return (args) => args
  return (args) => Object.fromEntries(Object.entries(args).filter(([name]) => !others.has(name)))
}

function formatJson(body: unknown, argument: string): string {
  const endless = findInfinitePath(body)
  if (endless === null) return JSON.stringify(body)
  throw new ArgumentError(`${argument}${endless}`.replace(/^\./, ''), 'is a number that is too large')
}

function formatText(body: unknown): string {
  const content = String(body)
  if (!content.isWellFormed()) throw new ArgumentError('body', 'is not well-formed text')
  return content
}

/** Decodes base64 with padding. Source: RFC 4648, section 4. @throws ArgumentError */
function decodeBase64(body: unknown): Buffer {
  const content = Buffer.from(String(body), 'base64')
  if (content.toString('base64') !== body) throw new ArgumentError('body', 'must be base64')
  return content
}

/**
 * Formats the Accept header: the JSON types that the operation answers, in the document's order; any type if it has
 * none.
 */
function formatAccept({ successes }: ExposedOperation): string {
  const types = successes.flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
  const json = types.length === 0 ? ['application/json'] : [...new Set(types.filter(isJson))]
  return json.length === 0 ? '*/*' : [...json, 'application/problem+json'].join(', ')
}
