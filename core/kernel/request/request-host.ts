import type { RequestDetails } from '../operation.ts'

/**
 * Returns the host that was requested, in lower case and without a port. Uses the forwarded host where proxies are
 * trusted.
 */
export function getRequestHost({ headers }: Pick<RequestDetails, 'headers'>, trustProxy: boolean): string {
  const forwarded = trustProxy ? [headers['x-forwarded-host']].flat()[0]?.split(',').at(-1)?.trim() : undefined
  return (forwarded ?? [headers['host']].flat()[0] ?? '').toLowerCase().replace(/:\d+$/, '')
}
