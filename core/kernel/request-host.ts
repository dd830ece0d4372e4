import type { RequestFacts } from './operation.ts'

/** Names the host that was asked for, in small letters without a port. What a proxy says of it counts where proxies are trusted. */
export function requestHost({ headers }: Pick<RequestFacts, 'headers'>, trustProxy: boolean): string {
  const forwarded = trustProxy ? [headers['x-forwarded-host']].flat()[0]?.split(',').at(-1)?.trim() : undefined
  return (forwarded ?? [headers['host']].flat()[0] ?? '').toLowerCase().replace(/:\d+$/, '')
}
