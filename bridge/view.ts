import type { IncomingHttpHeaders } from 'node:http'
import { toolsetNames } from '../tools/toolsets.ts'

/** What of the catalogue a request is shown. Nothing outside of it can be called either. */
export interface View {
  /** Names in order; null: all. */
  readonly toolsets: readonly string[] | null
  readonly readonly: boolean
  readonly readTools: boolean
  /** The list of tools carries output schemas, and its input schemas as calls are judged by them (`?schemas=full`). */
  readonly fullSchemas: boolean
  /** The same for equal views: the key of everything that is made once. */
  readonly key: string
  /** Stated by a header, so that a cache that sees only the body could mix it up. */
  readonly byHeader: boolean
}

/** A view that there is not. The message says what is allowed. */
export class ViewError extends Error {
  override name = 'ViewError'
}

const standard: View = {
  toolsets: null,
  readonly: false,
  readTools: false,
  fullSchemas: false,
  key: 'default',
  byHeader: false,
}

/** Views that were asked for, by what asked for them. */
const known = new Map<string, View>()
const mostKnown = 256
/** Longer ones are read each time, in characters. */
const longestKnown = 512

/**
 * The view a request asks for: `toolsets`, `read=tools`, `readonly=true` and `schemas=full` of the address, which count
 * before the headers `X-MCP-Toolsets`, `X-MCP-Read-Tools` and `X-MCP-Readonly`. Other parameters are passed over.
 * Throws ViewError.
 */
export function viewOf(url: string, headers: IncomingHttpHeaders): View {
  const at = url.indexOf('?')
  const byHeaders = ['x-mcp-toolsets', 'x-mcp-readonly', 'x-mcp-read-tools'].map((name) => headers[name])
  if (at < 0 && byHeaders.every((value) => value === undefined)) return standard
  const query = at < 0 ? '' : url.slice(at + 1)
  const asked = JSON.stringify([query, ...byHeaders.map((value) => value ?? null)])
  const found = known.get(asked) ?? readView(new URLSearchParams(query), byHeaders.map(textOf))
  if (known.size >= mostKnown) known.clear()
  if (asked.length <= longestKnown) known.set(asked, found)
  return found
}

const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value)

function readView(query: URLSearchParams, [toolsets, readonly, readTools]: (string | undefined)[]): View {
  refuseMisspelt(query)
  const stated = {
    toolsets: asked(query, 'toolsets', 'X-MCP-Toolsets', toolsets),
    readonly: asked(query, 'readonly', 'X-MCP-Readonly', readonly),
    read: asked(query, 'read', 'X-MCP-Read-Tools', readTools),
    schemas: asked(query, 'schemas', '', undefined),
  }
  const read = {
    toolsets: stated.toolsets ? toolsetsOf(stated.toolsets) : null,
    readonly: stated.readonly ? oneOf(stated.readonly, truth) : false,
    readTools: stated.read ? oneOf(stated.read, stated.read.byHeader ? truth : kinds) : false,
    fullSchemas: stated.schemas ? oneOf(stated.schemas, { full: true }) : false,
  }
  const marks = [read.readonly && 'readonly', read.readTools && 'read', read.fullSchemas && 'full']
  const key = [read.toolsets ? read.toolsets.join(',') : 'default', ...marks.filter(Boolean)].join(' ')
  return { ...read, key, byHeader: Object.values(stated).some((one) => one?.byHeader) }
}

interface Asked {
  /** As whoever asks spelled it. */
  readonly name: string
  readonly value: string
  readonly byHeader: boolean
}

const truth = { true: true, false: false }
const kinds = { tools: true, resources: false }

function asked(query: URLSearchParams, name: string, header: string, stated: string | undefined): Asked | null {
  const [value, ...others] = query.getAll(name)
  if (others.length > 0) throw new ViewError(`${name} stands more than once in the address`)
  if (value !== undefined) return { name, value: value.trim(), byHeader: false }
  return stated === undefined ? null : { name: header, value: stated.trim(), byHeader: true }
}

function oneOf({ name, value }: Asked, values: Readonly<Record<string, boolean>>): boolean {
  const meant = Object.hasOwn(values, value) ? values[value] : undefined
  if (meant === undefined) throw new ViewError(`${name} is not ${Object.keys(values).join(' or ')}`)
  return meant
}

function toolsetsOf({ name, value }: Asked): readonly string[] | null {
  if (value === 'all') return null
  const names = value.split(',').map((one) => one.trim())
  if (names.some((one) => !toolsetNames.some((toolset) => toolset === one))) {
    throw new ViewError(`${name} takes names of toolsets, joined by commas: ${toolsetNames.join(', ')}; or all`)
  }
  return [...new Set(names)].sort()
}

/** Taken for a parameter of somebody else, `readOnly=true` would give tools that write. */
function refuseMisspelt(query: URLSearchParams): void {
  for (const name of query.keys()) {
    const meant = meanings.get(name.toLowerCase().replace(/[^a-z]/g, '').replace(/s$/, ''))
    if (meant && !meant.startsWith(`${name}=`)) throw new ViewError(`The address says ${name}; it is ${meant}`)
  }
}

const meanings: ReadonlyMap<string, string> = new Map([
  ['toolset', 'toolsets=<names>'],
  ['readonly', 'readonly=true'],
  ['read', 'read=tools'],
  ['readtool', 'read=tools'],
  ['schema', 'schemas=full'],
])
