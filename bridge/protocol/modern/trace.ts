import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { parseTraceparent } from '../../api/trace-parent.ts'

/**
 * Returns the context with the trace of the `traceparent` in the message if that is well-formed, otherwise unchanged.
 * Source: MCP 2026-07-28, OpenTelemetry trace context.
 */
export function withClientTrace(context: RequestContext, { _meta: meta }: Schema): RequestContext {
  const trace = isRecord(meta) ? parseTraceparent(meta['traceparent']) : null
  return trace ? { ...context, ...trace } : context
}
