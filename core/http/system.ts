import type Router from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { notFound } from '../kernel/problem.ts'
import type { Context } from '../kernel/work.ts'
import { DocumentForms } from './coding/document.ts'
import { problemPage } from './problem.page.ts'

/** Routes that belong to the server itself and count against no limit. */
export interface SystemRoutes {
  /** The document, as its bytes. */
  document: string
  /** Parts that are away although the API answers: `redis`, `chain:EthereumAnvil`, `signer`. */
  missingParts(): Promise<string[]>
}

/** Health, the document and the pages behind problem types. */
export function mountSystem(router: Router, context: Context, { document, missingParts }: SystemRoutes): void {
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' }
  })
  router.get('/health/ready', async (ctx) => ready(ctx, context, missingParts))
  const forms = new DocumentForms(document)
  router.get('/openapi.json', (ctx) => forms.write(ctx))
  router.get('/problems/:code', (ctx) => {
    const page = problemPage(ctx.params['code'] ?? '')
    if (page === null) throw notFound()
    ctx.body = page
    ctx.type = 'text/html; charset=utf-8'
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'self'; frame-ancestors 'none'")
  })
}

/** 503 only while PostgreSQL does not answer; everything else degrades. */
async function ready(ctx: KoaContext, context: Context, missingParts: SystemRoutes['missingParts']): Promise<void> {
  ctx.set('Cache-Control', 'no-store')
  try {
    await context.db.raw('select 1').timeout(2_000)
  } catch (error) {
    context.log.warn({ err: error }, 'PostgreSQL does not answer')
    ctx.status = 503
    ctx.body = { status: 'down', parts: ['postgresql'] }
    return
  }
  const parts = await missingParts()
  ctx.body = parts.length > 0 ? { status: 'degraded', parts } : { status: 'ok' }
}
