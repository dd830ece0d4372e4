import type { ExposedOperation } from './operations.ts'
import { bracketsOfText } from './query.ts'
import type { ApiRequest, Window } from './request.ts'
import type { Routes } from './routes.ts'
import { decode, decodeSegment, encodeSegment } from './segment.ts'

/** What an address stands for. */
export type Match =
  | {
      readonly is: 'operation'
      readonly operation: ExposedOperation
      readonly request: ApiRequest
      readonly window: Window | null
    }
  | { readonly is: 'schema'; readonly text: string }

/** An address that names no resource. */
export class AddressError extends Error {
  override name = 'AddressError'
}

/** Source: RFC 6570, form-style query expansion. */
export function queryTemplate({ parameters }: ExposedOperation): string {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  return names.length === 0 ? '' : `{?${names.join(',')}}`
}

/** Path, query and range are taken apart by hand: a URL parser would already have followed `..` and `%2e`. */
export function matchPath(rest: string, routes: Routes<string>, byPath: ReadonlyMap<string, ExposedOperation>): Match {
  const [, path = '', , query, , fragment] = /^([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(rest) ?? []
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => {
      const decoded = decodeSegment(segment)
      if (decoded === null) throw new AddressError('The path of the address is malformed.')
      return decoded
    })
  const found = routes.find(segments)
  const operation = found ? byPath.get(found.value) : undefined
  if (!found || !operation) throw new AddressError('There is no such resource.')
  let next = 0
  const filled = operation.path.replaceAll(/\{[^{}]+\}/g, () => encodeSegment(found.captured[next++] ?? '') ?? '')
  const stated = query === undefined || query === '' ? [] : query.split('&')
  const pairs = stated.flatMap((pair) => queryPairs(pair, operation))
  const sent = pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
  const request: ApiRequest = { method: operation.method, path: sent, accept: '*/*', body: null }
  return { is: 'operation', operation, request, window: fragment === undefined ? null : range(fragment) }
}

/** Any subset in any order; brackets spell a part of a declared parameter (`filters[status][eq]`). */
function queryPairs(pair: string, operation: ExposedOperation): string[] {
  const split = pair.indexOf('=')
  const [name, value] = [split < 0 ? pair : pair.slice(0, split), split < 0 ? '' : pair.slice(split + 1)].map((part) =>
    decode(part.replaceAll('+', ' ')),
  )
  if (name === null || value === null || name === undefined || value === undefined)
    throw new AddressError('The query of the address is malformed.')
  const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name.split('[')[0])
  if (!parameter)
    throw new AddressError(
      `${name} is not a parameter of ${operation.name}; it takes ${queryTemplate(operation) || 'none'}.`,
    )
  const brackets = parameter.style === 'json' && name === parameter.name ? bracketsOfText(name, value) : null
  return brackets ?? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
}

/** `bytes=first-last` or `bytes=first-`, as in RFC 9110, section 14.1.2. */
function range(fragment: string): Window {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(fragment) ?? []
  const to = last === undefined ? Infinity : Number(last) + 1
  if (first === undefined || to <= Number(first))
    throw new AddressError('The range of the address is malformed: #bytes=<first>-<last>.')
  return { from: Number(first), to }
}
