import type { IncomingHttpHeaders } from 'node:http'
import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { ClientCapabilities } from '../methods/method-call.ts'
import { envelopeKeys, modernRevision } from '../detect-era.ts'
import { headersAgree } from './headers.ts'

/** A request of the modern era with a valid shape, `_meta` and headers. */
export interface ModernRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Schema
  readonly capabilities: ClientCapabilities
  /** Null if the client did not ask for progress. */
  readonly progressToken: string | number | null
}

const requestMembers = new Set(['jsonrpc', 'id', 'method', 'params'])

/**
 * Parses a message as a modern request; returns null if anything is wrong. The SDK then decides what to answer.
 * Source: JSON-RPC 2.0; MCP 2026-07-28, `_meta`.
 */
export function parseModernRequest(message: unknown, headers: IncomingHttpHeaders): ModernRequest | null {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return null
  for (const member in message) if (!requestMembers.has(member)) return null
  const { id, method, params } = message
  if (!isToken(id) || !isText(method) || !isRecord(params)) return null
  const meta = params['_meta']
  if (!isRecord(meta) || !isEnvelope(meta) || !headersAgree(headers, method, params)) return null
  const progressToken = (meta['progressToken'] ?? null) as string | number | null
  const capabilities = meta[envelopeKeys.capabilities] as ClientCapabilities
  return { id: id as string | number, method, params, capabilities, progressToken }
}

type ValueCheck = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts: ValueCheck = (value) => Array.isArray(value) && value.every(isText)
const isBoolean: ValueCheck = (value) => typeof value === 'boolean'
const isWhole: ValueCheck = (value) => Number.isSafeInteger(value)
const isRecords: ValueCheck = (value) => isRecord(value) && Object.values(value).every(isRecord)

const isAbsentOr = (value: unknown, check: ValueCheck) => value === undefined || check(value)

/** Creates a check for objects: each of the named members must be absent or pass its own check. */
function createMembersCheck(members: Readonly<Record<string, ValueCheck>>): ValueCheck {
  const checks = Object.entries(members)
  return (value) => isRecord(value) && checks.every(([name, check]) => isAbsentOr(value[name], check))
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const isLevel: ValueCheck = (value) => levels.some((level) => level === value)
const isToken: ValueCheck = (value) => isText(value) || isWhole(value)
const isTask: ValueCheck = (value) => isRecord(value) && isText(value['taskId'])
const isTheme: ValueCheck = (value) => value === 'light' || value === 'dark'
const iconMembers = createMembersCheck({ mimeType: isText, sizes: isTexts, theme: isTheme })
const isIcon: ValueCheck = (value) => isRecord(value) && isText(value['src']) && iconMembers(value)
const isIcons: ValueCheck = (value) => Array.isArray(value) && value.every(isIcon)
const clientMembers = createMembersCheck({ title: isText, websiteUrl: isText, description: isText, icons: isIcons })
const isClient: ValueCheck = (value) =>
  isRecord(value) && isText(value['name']) && isText(value['version']) && clientMembers(value)

/** Source: MCP 2026-07-28, schema, ClientCapabilities. */
const isCapabilities = createMembersCheck({
  experimental: isRecords,
  sampling: createMembersCheck({ context: isRecord, tools: isRecord }),
  elicitation: createMembersCheck({ form: createMembersCheck({ applyDefaults: isBoolean }), url: isRecord }),
  roots: createMembersCheck({ listChanged: isBoolean }),
  extensions: isRecords,
})

function isEnvelope(meta: Schema): boolean {
  return (
    meta[envelopeKeys.version] === modernRevision
    && isCapabilities(meta[envelopeKeys.capabilities])
    && isAbsentOr(meta[envelopeKeys.client], isClient)
    && isAbsentOr(meta[envelopeKeys.logLevel], isLevel)
    && isAbsentOr(meta['progressToken'], isToken)
    && isAbsentOr(meta[envelopeKeys.relatedTask], isTask)
  )
}
