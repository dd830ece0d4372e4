import type Router from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { notFound } from '../kernel/problem.ts'
import { DocumentForms } from './coding/document.ts'
import { problemPage } from './problem.page.ts'

/** Routes that belong to the server itself and count against no limit. */
export interface SystemRoutes {
  /** The document, as its bytes. */
  document: string
  health(): Promise<HealthReport>
}

/** `parts` are away: `postgresql`, `postgresql:writes` (it is read, but stores nothing), `redis`, `chain:<network>`. */
export type HealthReport = { status: 'ok' } | { status: 'degraded' | 'down'; parts: string[] }

/** Health, the document and the pages behind problem types. */
export function mountSystem(router: Router, { document, health }: SystemRoutes): void {
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' }
  })
  router.get('/health/ready', async (ctx) => ready(ctx, await health()))
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
function ready(ctx: KoaContext, report: HealthReport): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.status = report.status === 'down' ? 503 : 200
  ctx.body = report
}
