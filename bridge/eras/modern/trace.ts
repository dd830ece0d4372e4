import { isRecord, type Schema } from '../../../tools/openapi.ts'
import type { Exchange } from '../../exchange.ts'

/**
 * The exchange as a part of the trace that the client names, where it names one that is well-formed: only the id of
 * the trace is taken. Source: MCP 2026-07-28, OpenTelemetry trace context; W3C Trace Context, traceparent.
 */
export function traced(exchange: Exchange, { _meta: meta }: Schema): Exchange {
  const named = isRecord(meta) ? meta['traceparent'] : undefined
  if (typeof named !== 'string') return exchange
  const [, trace] = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.exec(named) ?? []
  return trace === undefined ? exchange : { ...exchange, trace }
}
