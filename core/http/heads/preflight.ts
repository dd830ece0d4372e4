import type Router from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Operation } from '../../kernel/operation.ts'

/** Response headers that pages of other origins may read in addition to the standard ones. */
export const exposedHeaders =
  'ETag, Location, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed'

/** Seconds for which a browser caches the answer to a preflight request. */
export const preflightMaxAgeSeconds = '600'

/**
 * Request headers that pages of other origins may send to an open route. Credentials are not allowed: anonymous callers
 * need none there, and a foreign page must not use a token.
 */
const openHeaders = 'Content-Type, If-None-Match, X-Request-Id'

/**
 * Answers OPTIONS for the routes that are open to every origin: with their methods and, for a CORS preflight, the
 * headers that the browser may send. Source: RFC 9110, section 9.3.7; WHATWG Fetch, CORS-preflight fetch.
 */
export function mountPreflights(router: Router, operations: readonly Operation[]): void {
  const methods = new Map<string, Set<string>>()
  for (const { declaration } of operations) {
    if (!declaration.access.isOpenToAllOrigins) continue
    const methodsOfPath = methods.get(declaration.path) ?? new Set<string>()
    methods.set(declaration.path, methodsOfPath)
    for (const method of declaration.method === 'GET' ? ['GET', 'HEAD'] : [declaration.method])
      methodsOfPath.add(method)
  }
  for (const [path, pathMethods] of methods) router.options(path, (ctx) => answerPreflight(ctx, [...pathMethods]))
  router.options('/openapi.json', (ctx) => answerPreflight(ctx, ['GET', 'HEAD']))
}

function answerPreflight(ctx: KoaContext, methods: readonly string[]): void {
  ctx.status = 204
  ctx.set({ Allow: [...methods, 'OPTIONS'].join(', '), 'Access-Control-Allow-Origin': '*' })
  if (ctx.req.headers['access-control-request-method'] === undefined) return
  ctx.set({
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': openHeaders,
    'Access-Control-Max-Age': preflightMaxAgeSeconds,
  })
}
