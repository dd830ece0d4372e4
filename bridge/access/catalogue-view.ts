import type { IncomingHttpHeaders } from 'node:http'
import { toolsetNames } from '../../tools/toolsets.ts'

/** The part of the catalogue that a request sees. The request can call nothing outside this part. */
export interface CatalogueView {
  /** The names of the toolsets in order; null means all. */
  readonly toolsets: readonly string[] | null
  readonly readonly: boolean
  readonly readTools: boolean
  /** The list of tools has output schemas, and the input schemas are the ones that validate calls (`?schemas=full`). */
  readonly fullSchemas: boolean
  /** Only the tools that find, describe and call all others are listed (`?view=search`). */
  readonly search: boolean
  /** A key that equal views share. Everything that is built once per view is stored under this key. */
  readonly key: string
  /** A header chose the view, so a cache that sees only the body could confuse it with another view. */
  readonly byHeader: boolean
}

/** A request asked for a view that does not exist. The message says what is allowed. */
export class ViewError extends Error {
  override name = 'ViewError'
}

const defaultView: CatalogueView = {
  toolsets: null,
  readonly: false,
  readTools: false,
  fullSchemas: false,
  search: false,
  key: 'default',
  byHeader: false,
}

/** The views that were requested before, by query and headers. */
const knownViews = new Map<string, CatalogueView>()
const maxKnownViews = 256
/** The longest cache key, in characters. A request with a longer key is parsed each time. */
const maxKnownLength = 512

/**
 * Returns the view that a request asks for: `toolsets`, `read=tools`, `readonly=true`, `schemas=full` and
 * `view=search` of the address. These parameters win over the headers `X-MCP-Toolsets`, `X-MCP-Read-Tools`,
 * `X-MCP-Readonly` and `X-MCP-View`. Other parameters are ignored.
 * @param presentToolsets the toolsets that have a tool now, which an error names
 * @throws ViewError
 */
export function getView(
  url: string,
  headers: IncomingHttpHeaders,
  presentToolsets: readonly string[] = toolsetNames,
): CatalogueView {
  const at = url.indexOf('?')
  const byHeaders = ['x-mcp-toolsets', 'x-mcp-readonly', 'x-mcp-read-tools', 'x-mcp-view'].map((name) => headers[name])
  if (at < 0 && byHeaders.every((value) => value === undefined)) return defaultView
  const query = at < 0 ? '' : url.slice(at + 1)
  const cacheKey = JSON.stringify([query, ...byHeaders.map((value) => value ?? null)])
  const view =
    knownViews.get(cacheKey) ?? parseView(new URLSearchParams(query), byHeaders.map(joinHeader), presentToolsets)
  if (knownViews.size >= maxKnownViews) knownViews.clear()
  if (cacheKey.length <= maxKnownLength) knownViews.set(cacheKey, view)
  return view
}

const joinHeader = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value)

function parseView(
  query: URLSearchParams,
  [toolsets, readonly, readTools, view]: (string | undefined)[],
  presentToolsets: readonly string[],
): CatalogueView {
  assertNoMisspelling(query)
  const parameters = {
    toolsets: getViewParameter(query, 'toolsets', 'X-MCP-Toolsets', toolsets),
    readonly: getViewParameter(query, 'readonly', 'X-MCP-Readonly', readonly),
    read: getViewParameter(query, 'read', 'X-MCP-Read-Tools', readTools),
    schemas: getViewParameter(query, 'schemas', '', undefined),
    view: getViewParameter(query, 'view', 'X-MCP-View', view),
  }
  const read = {
    toolsets: parameters.toolsets ? parseToolsets(parameters.toolsets, presentToolsets) : null,
    readonly: parameters.readonly ? parseChoice(parameters.readonly, booleanValues) : false,
    readTools: parameters.read
      ? parseChoice(parameters.read, parameters.read.byHeader ? booleanValues : readValues)
      : false,
    fullSchemas: parameters.schemas ? parseChoice(parameters.schemas, { full: true }) : false,
    search: parameters.view ? parseChoice(parameters.view, { search: true, default: false }) : false,
  }
  const marks = [
    read.readonly && 'readonly',
    read.readTools && 'read',
    read.fullSchemas && 'full',
    read.search && 'search',
  ]
  const key = [read.toolsets ? read.toolsets.join(',') : 'default', ...marks.filter(Boolean)].join(' ')
  return { ...read, key, byHeader: Object.values(parameters).some((one) => one?.byHeader) }
}

interface ViewParameter {
  /** The name as the caller spelled it. */
  readonly name: string
  readonly value: string
  readonly byHeader: boolean
}

const booleanValues = { true: true, false: false }
const readValues = { tools: true, resources: false }

function getViewParameter(
  query: URLSearchParams,
  name: string,
  header: string,
  headerText: string | undefined,
): ViewParameter | null {
  const [value, ...others] = query.getAll(name)
  if (others.length > 0) throw new ViewError(`${name} stands more than once in the address`)
  if (value !== undefined) return { name, value: value.trim(), byHeader: false }
  return headerText === undefined ? null : { name: header, value: headerText.trim(), byHeader: true }
}

function parseChoice({ name, value }: ViewParameter, values: Readonly<Record<string, boolean>>): boolean {
  const chosen = Object.hasOwn(values, value) ? values[value] : undefined
  if (chosen === undefined) throw new ViewError(`${name} is not ${Object.keys(values).join(' or ')}`)
  return chosen
}

function parseToolsets({ name, value }: ViewParameter, presentToolsets: readonly string[]): readonly string[] | null {
  if (value === 'all') return null
  const names = value.split(',').map((one) => one.trim())
  if (names.some((one) => !toolsetNames.some((toolset) => toolset === one))) {
    throw new ViewError(`${name} takes names of toolsets, joined by commas: ${presentToolsets.join(', ')}; or all`)
  }
  return [...new Set(names)].sort()
}

/** Refuses misspelled parameters: if `readOnly=true` were ignored, the caller would get tools that write. */
function assertNoMisspelling(query: URLSearchParams): void {
  for (const name of query.keys()) {
    const meant = correctSpellings.get(
      name
        .toLowerCase()
        .replace(/[^a-z]/g, '')
        .replace(/s$/, ''),
    )
    if (meant && !meant.startsWith(`${name}=`)) throw new ViewError(`The address says ${name}; it is ${meant}`)
  }
}

const correctSpellings: ReadonlyMap<string, string> = new Map([
  ['toolset', 'toolsets=<names>'],
  ['readonly', 'readonly=true'],
  ['read', 'read=tools'],
  ['readtool', 'read=tools'],
  ['schema', 'schemas=full'],
  ['view', 'view=search'],
  ['search', 'view=search'],
])
