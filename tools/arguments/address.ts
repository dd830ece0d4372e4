import type { ExposedOperation } from '../catalogue/operations.ts'
import type { OwnText } from '../own/documents.ts'
import { convertToBrackets } from './query.ts'
import type { ApiRequest, ByteRange } from '../results/api-request.ts'
import type { Routes } from '../catalogue/routes.ts'
import { decodePercent, decodeSegment, encodeSegment } from './segment.ts'

/** The operation or the text of the bridge itself that an address names. */
export type AddressMatch =
  | {
      readonly is: 'operation'
      readonly operation: ExposedOperation
      readonly request: ApiRequest
      readonly byteRange: ByteRange | null
    }
  | ({ readonly is: 'own' } & OwnText)

/** An address that names no resource. */
export class AddressError extends Error {
  override name = 'AddressError'
}

/** Formats the query parameters as a URI template. Source: RFC 6570, form-style query expansion. */
export function formatQueryTemplate({ parameters }: ExposedOperation): string {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  return names.length === 0 ? '' : `{?${names.join(',')}}`
}

/**
 * Parses an address. It splits path, query and range by hand, because a URL parser would resolve `..` and `%2e` first.
 * @throws AddressError
 */
export function parseAddress(
  address: string,
  routes: Routes<string>,
  byPath: ReadonlyMap<string, ExposedOperation>,
): AddressMatch {
  const [, path = '', , query, , fragment] = /^([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(address) ?? []
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => {
      const decoded = decodeSegment(segment)
      if (decoded === null) throw new AddressError('The path of the address is malformed.')
      return decoded
    })
  const route = routes.find(segments)
  const operation = route ? byPath.get(route.value) : undefined
  if (!route || !operation) throw new AddressError('There is no such resource.')
  let next = 0
  const filled = operation.path.replaceAll(/\{[^{}]+\}/g, () => encodeSegment(route.captured[next++] ?? '') ?? '')
  const queryTexts = query === undefined || query === '' ? [] : query.split('&')
  const pairs = queryTexts.flatMap((pair) => parseQueryPair(pair, operation))
  const sent = pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
  const request: ApiRequest = { method: operation.method, path: sent, accept: '*/*', body: null }
  return { is: 'operation', operation, request, byteRange: fragment === undefined ? null : parseByteRange(fragment) }
}

/**
 * Parses one pair of a query. Brackets name a part of a declared parameter (`filters[status][eq]`).
 * @throws AddressError
 */
function parseQueryPair(pair: string, operation: ExposedOperation): string[] {
  const split = pair.indexOf('=')
  const [name, value] = [split < 0 ? pair : pair.slice(0, split), split < 0 ? '' : pair.slice(split + 1)].map((part) =>
    decodePercent(part.replaceAll('+', ' ')),
  )
  if (name === null || value === null || name === undefined || value === undefined)
    throw new AddressError('The query of the address is malformed.')
  const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name.split('[')[0])
  if (!parameter)
    throw new AddressError(
      `${name} is not a parameter of ${operation.name}; it takes ${formatQueryTemplate(operation) || 'none'}.`,
    )
  const brackets = parameter.style === 'json' && name === parameter.name ? convertToBrackets(name, value) : null
  return brackets ?? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
}

/** Parses `bytes=first-last` or `bytes=first-`. Source: RFC 9110, section 14.1.2. @throws AddressError */
export function parseByteRange(fragment: string): ByteRange {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(fragment) ?? []
  const to = last === undefined ? Infinity : Number(last) + 1
  if (first === undefined || to <= Number(first))
    throw new AddressError('The range of the address is malformed: #bytes=<first>-<last>.')
  return { from: Number(first), to }
}
