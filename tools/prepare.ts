import type { ArgumentPlan, Binding } from './arguments.ts'
import { isJson } from './body.ts'
import type { ExposedOperation } from './operations.ts'
import { queryPairs } from './query.ts'
import type { ApiRequest } from './request.ts'
import type { Routes } from './routes.ts'
import { encodeSegment } from './segment.ts'
import type { Violation } from './violations.ts'

export type Arguments = Readonly<Record<string, unknown>>

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
 * The request that a call of this operation makes. An argument only ever becomes one segment of the path, one value
 * of the query or a part of the body. Throws ArgumentError.
 * @param routes all paths of this method, so that no argument spells the way to another operation.
 */
export function prepareRequest(
  operation: ExposedOperation,
  plan: ArgumentPlan,
  given: Arguments,
  routes: Routes<string>,
): ApiRequest {
  const path = operation.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => segment(plan, given, name))
  const segments = path.slice(1).split('/').map(decodeURIComponent)
  if (routes.find(segments)?.value !== operation.path) {
    throw new ArgumentError(plan.bindings.find(({ to }) => to === 'path')?.argument ?? '', 'cannot be an id')
  }
  const pairs = plan.bindings.flatMap((binding) => {
    const value = given[binding.argument]
    return binding.to === 'query' && value !== undefined
      ? encodable(binding.argument, () => queryPairs(binding.parameter, value))
      : []
  })
  return {
    method: operation.method,
    path: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
    accept: acceptOf(operation),
    body: bodyOf(operation, plan, given),
  }
}

function segment(plan: ArgumentPlan, given: Arguments, name: string): string {
  const binding = plan.bindings.find((one) => one.to === 'path' && one.parameter.name === name)
  const argument = binding?.argument ?? name
  const encoded = encodeSegment(String(given[argument]))
  if (encoded === null) throw new ArgumentError(argument, 'cannot be an id')
  return encoded
}

/** Text that is no Unicode, as half a surrogate pair, cannot be percent-encoded. */
function encodable<T>(argument: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof URIError) throw new ArgumentError(argument, 'is not well-formed text')
    throw cause
  }
}

function bodyOf({ body }: ExposedOperation, { form, bindings }: ArgumentPlan, given: Arguments): ApiRequest['body'] {
  if (!body || !form) return null
  if (form.as === 'members') {
    const members = bindings.filter((binding) => binding.to === 'member' && given[binding.argument] !== undefined)
    if (members.length === 0 && !body.required) return null
    return { mediaType: body.mediaType, content: JSON.stringify(Object.fromEntries(members.map(named(given)))) }
  }
  const value = given[form.as === 'items' ? 'items' : 'body']
  if (value === undefined) return null
  if (form.as === 'base64') return { mediaType: body.mediaType, content: Buffer.from(String(value), 'base64') }
  return { mediaType: body.mediaType, content: form.as === 'text' ? String(value) : JSON.stringify(value) }
}

const named =
  (given: Arguments) =>
  ({ argument }: Binding) =>
    [argument, given[argument]] as const

/** JSON where the operation answers it, else whatever the API prefers. */
function acceptOf({ successes }: ExposedOperation): string {
  const types = successes.flatMap(({ content }) => content.map(({ mediaType }) => mediaType))
  return types.length === 0 || types.some(isJson) ? 'application/json, application/problem+json' : '*/*'
}
