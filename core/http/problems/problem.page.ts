import type { Context as KoaContext } from 'koa'
import type { ProblemPages } from '../../kernel/ports/problem-pages.ts'
import { writeAnswer } from '../coding/write-answer.ts'
import type { ProblemAnswer } from './problems.ts'

/**
 * Writes a problem as a page.
 * @param page the `page` of the operation's declaration
 */
export function writeProblemPage(
  ctx: KoaContext,
  pages: ProblemPages,
  problem: ProblemAnswer,
  page: true | 'member',
): void {
  const { method, path, search, headers } = ctx
  const [detail, requestId] = [String(problem.body['detail']), String(problem.body['requestId'])]
  const shown = pages.renderProblem(
    { ...problem, body: { detail, requestId } },
    { method, path, search, headers },
    page === true ? 'public' : 'member',
  )
  const { Vary: varying = '', ...others } = shown.headers ?? {}
  writeAnswer(ctx, { status: problem.status, headers: { ...others, 'Content-Type': shown.type }, body: shown.body })
  ctx.vary(varying)
}
