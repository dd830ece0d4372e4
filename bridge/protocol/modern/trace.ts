import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { RequestContext } from '../../api/request-context.ts'

/**
 * Returns the context with the trace id of the client's `traceparent` if that is well-formed, otherwise unchanged. Only
 * the trace id is taken. Source: MCP 2026-07-28, OpenTelemetry trace context; W3C Trace Context, traceparent.
 */
export function withClientTrace(context: RequestContext, { _meta: meta }: Schema): RequestContext {
  const traceparent = isRecord(meta) ? meta['traceparent'] : undefined
  if (typeof traceparent !== 'string') return context
  const [, traceId] = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.exec(traceparent) ?? []
  return traceId === undefined ? context : { ...context, traceId }
}
