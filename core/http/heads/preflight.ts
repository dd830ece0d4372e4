import type Router from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Operation } from '../../kernel/operation.ts'

/** What answers say that pages of other origins may read beside the usual header fields. */
export const exposedHeaders =
  'ETag, Location, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'

/** Seconds for which a browser remembers what it was told. */
export const preflightSeconds = '600'

/**
 * What any page may send to a route that is open to every page. Credentials are not among it: who is nobody in
 * particular needs none there, and a stranger's page has no business with a token.
 */
const openHeaders = 'Content-Type, If-None-Match, X-Request-Id'

/**
 * Answers OPTIONS for the routes that are open to every page: which methods they have, and to a browser that asks before
 * it sends, what it may send. Source: RFC 9110, section 9.3.7; WHATWG Fetch, CORS-preflight fetch.
 */
export function mountPreflights(router: Router, operations: readonly Operation[]): void {
  const methods = new Map<string, Set<string>>()
  for (const { declaration } of operations) {
    if (!declaration.cors) continue
    const known = methods.get(declaration.path) ?? new Set<string>()
    methods.set(declaration.path, known)
    for (const method of declaration.method === 'GET' ? ['GET', 'HEAD'] : [declaration.method]) known.add(method)
  }
  for (const [path, known] of methods) router.options(path, (ctx) => answerPreflight(ctx, [...known]))
  router.options('/openapi.json', (ctx) => answerPreflight(ctx, ['GET', 'HEAD']))
}

function answerPreflight(ctx: KoaContext, methods: readonly string[]): void {
  ctx.status = 204
  ctx.set({ Allow: [...methods, 'OPTIONS'].join(', '), 'Access-Control-Allow-Origin': '*' })
  if (ctx.req.headers['access-control-request-method'] === undefined) return
  ctx.set({
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': openHeaders,
    'Access-Control-Max-Age': preflightSeconds,
  })
}
