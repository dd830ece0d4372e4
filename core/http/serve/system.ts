import type Router from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import type { ProblemPages } from '../../kernel/ports/problem-pages.ts'
import { writeAnswer } from '../coding/write-answer.ts'
import { EncodedDocument } from '../coding/encoded-document.ts'

/** The routes of the server itself. They do not count for rate limits. */
export interface SystemRoutes {
  /** The OpenAPI document as JSON text. */
  document: string
  health(): Promise<HealthReport>
}

/**
 * The health of the platform. `parts` lists what is away: `postgresql`, `postgresql:writes` (it can be read but stores
 * nothing), `redis`, `chain:<network>`.
 */
export type HealthReport = { status: 'ok' } | { status: 'degraded' | 'down'; parts: string[] }

/** Mounts the routes of health, of the OpenAPI document and of the pages for problem types. */
export function mountSystem(router: Router, { document, health }: SystemRoutes, pages: ProblemPages): void {
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' }
  })
  router.get('/health/ready', async (ctx) => writeReadiness(ctx, await health()))
  const encodedDocument = new EncodedDocument(document)
  router.get('/openapi.json', (ctx) => encodedDocument.write(ctx))
  router.get('/problems/:code', (ctx) => {
    const page = pages.renderProblemType(ctx.params['code'] ?? '')
    if (page === null) throw createNotFoundProblem()
    const { headers, type, body } = page
    writeAnswer(ctx, { status: 200, headers: { ...headers, 'Content-Type': type }, body })
  })
}

/**
 * Answers 503 only while PostgreSQL does not answer; with any other part away the status is 200 and the report
 * `degraded`.
 */
function writeReadiness(ctx: KoaContext, report: HealthReport): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.status = report.status === 'down' ? 503 : 200
  ctx.body = report
}
