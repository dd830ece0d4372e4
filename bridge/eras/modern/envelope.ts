import type { IncomingHttpHeaders } from 'node:http'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { Capabilities } from '../../methods/call.ts'
import { envelopeKeys, modernRevision } from '../classify.ts'
import { headersAgree } from './headers.ts'

/** A request of this era, right in its shape, its `_meta` and its headers. */
export interface ModernRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Schema
  readonly capabilities: Capabilities
  /** Null where no progress is asked for. */
  readonly progressToken: string | number | null
}

const members = new Set(['jsonrpc', 'id', 'method', 'params'])

/**
 * The request of a message; null where anything is wrong with it: what, and how that is said, is left to the SDK.
 * Source: JSON-RPC 2.0; MCP 2026-07-28, `_meta`.
 */
export function readRequest(message: unknown, headers: IncomingHttpHeaders): ModernRequest | null {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return null
  for (const member in message) if (!members.has(member)) return null
  const { id, method, params } = message
  if (!isToken(id) || !isText(method) || !isRecord(params)) return null
  const meta = params['_meta']
  if (!isRecord(meta) || !isEnvelope(meta) || !headersAgree(headers, method, params)) return null
  const progressToken = (meta['progressToken'] ?? null) as string | number | null
  const capabilities = meta[envelopeKeys.capabilities] as Capabilities
  return { id: id as string | number, method, params, capabilities, progressToken }
}

type Check = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText)
const isBoolean: Check = (value) => typeof value === 'boolean'
const isWhole: Check = (value) => Number.isSafeInteger(value)
const isRecords: Check = (value) => isRecord(value) && Object.values(value).every(isRecord)

const optional = (value: unknown, check: Check) => value === undefined || check(value)

/** An object whose members of these names, where they are there, are as their checks say. */
function has(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members)
  return (value) => isRecord(value) && checks.every(([name, check]) => optional(value[name], check))
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const isLevel: Check = (value) => levels.some((level) => level === value)
const isToken: Check = (value) => isText(value) || isWhole(value)
const isTask: Check = (value) => isRecord(value) && isText(value['taskId'])
const isTheme: Check = (value) => value === 'light' || value === 'dark'
const iconMembers = has({ mimeType: isText, sizes: isTexts, theme: isTheme })
const isIcon: Check = (value) => isRecord(value) && isText(value['src']) && iconMembers(value)
const isIcons: Check = (value) => Array.isArray(value) && value.every(isIcon)
const clientMembers = has({ title: isText, websiteUrl: isText, description: isText, icons: isIcons })
const isClient: Check = (value) =>
  isRecord(value) && isText(value['name']) && isText(value['version']) && clientMembers(value)

/** Source: MCP 2026-07-28, schema, ClientCapabilities. */
const isCapabilities = has({
  experimental: isRecords,
  sampling: has({ context: isRecord, tools: isRecord }),
  elicitation: has({ form: has({ applyDefaults: isBoolean }), url: isRecord }),
  roots: has({ listChanged: isBoolean }),
  extensions: isRecords,
})

function isEnvelope(meta: Schema): boolean {
  return (
    meta[envelopeKeys.version] === modernRevision
    && isCapabilities(meta[envelopeKeys.capabilities])
    && optional(meta[envelopeKeys.client], isClient)
    && optional(meta[envelopeKeys.logLevel], isLevel)
    && optional(meta['progressToken'], isToken)
    && optional(meta[envelopeKeys.relatedTask], isTask)
  )
}
