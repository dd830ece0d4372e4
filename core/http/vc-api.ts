import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import Koa, { type Context as KoaContext } from 'koa'
import { notFound, type Violation } from '../kernel/problem.ts'
import type { Context } from '../kernel/work.ts'
import { bodyReader, parseBody } from './body.ts'
import { Faults } from './faults.ts'
import { dropRest } from './leftover.ts'
import { problemOf, problemType, type Written } from './problems.ts'

type Json = Record<string, unknown>

/** What is wrong with a credential, by the problem types of W3C. Source: VC Data Model 2.0, section 7.2. */
export interface VcProblem { type: string; title: string; detail: string }

/** What verifying came to. `problemDetails` is empty where it is verified. */
export interface VcVerdict { verified: boolean; problemDetails: readonly VcProblem[] }

/** What answers the routes: the product's own issuing and verifying, its bodies unjudged. All of them throw problems. */
export interface VcApi {
  /** Names of forms that stand in paths, before the routes. */
  forms: readonly string[]
  /** Who issues, and how. */
  about(): Promise<object>
  /** @param form of the path, null where it names none. @returns the credential as it is answered */
  issue(body: Json, wish: { form: string | null; accept: string | undefined }): Promise<object>
  verifyCredential(body: Json): Promise<VcVerdict>
  verifyPresentation(body: Json): Promise<VcVerdict>
  /** A member of a request that breaks a rule, as W3C tells it. */
  problemOf(violation: Violation): VcProblem
}

/** Bytes that a body may have, as those of the product's own operations. */
const readBody = bodyReader({ limit: 1024 * 1024, tooLarge: 'PAYLOAD_TOO_LARGE', kind: 'json' })

/**
 * The routes of the W3C VC-API for outside test suites, and no others: no sign-in, no limits of pace, no pages. Each
 * stands at the root and below `/<form>`, for suites that can choose by address alone. Where the draft of the VC-API and
 * the suites of W3C differ, it is the suites that are followed: an issued credential is answered by itself, where the
 * draft has it as `verifiableCredential` (the suites take either, but over http only the first); and what does not verify
 * is 400, as what is malformed is, where the draft has 200: they tell a refusal by it.
 * Source: W3C CCG VC-API 0.7, sections 3.2 and 3.3; w3c/vc-data-model-2.0-test-suite, tests/TestEndpoints.js.
 */
export function createVcApi(context: Context, api: VcApi): Koa {
  const app = new Koa()
  app.silent = true
  app.use((ctx, next) => answerProblems(ctx, next, context, api))
  const router = new Router({ strict: true, sensitive: true })
  router.get('/', async (ctx) => writeJson(ctx, 200, await api.about()))
  for (const prefix of ['', '/:form']) {
    router.post(`${prefix}/credentials/issue`, async (ctx) => {
      const wish = { form: formOf(ctx, api), accept: ctx.req.headers.accept }
      writeJson(ctx, 201, await api.issue(await bodyOf(ctx), wish))
    })
    router.post(`${prefix}/credentials/verify`, (ctx) => judge(ctx, api, (body) => api.verifyCredential(body)))
    router.post(`${prefix}/presentations/verify`, (ctx) => judge(ctx, api, (body) => api.verifyPresentation(body)))
  }
  app.use(router.routes())
  app.use(() => { throw notFound() })
  return app
}

/** @throws NOT_FOUND for a path that names no form */
function formOf(ctx: KoaContext & { params: Record<string, string> }, { forms }: VcApi): string | null {
  const { form } = ctx.params
  if (form === undefined) return null
  if (!forms.includes(form)) throw notFound()
  return form
}

async function judge(
  ctx: KoaContext & { params: Record<string, string> }, api: VcApi, look: (body: Json) => Promise<VcVerdict>,
): Promise<void> {
  formOf(ctx, api)
  ctx.state['verdict'] = true
  const verdict = await look(await bodyOf(ctx))
  if (verdict.verified) return writeJson(ctx, 200, verdict)
  writeJson(ctx, 400, { ...verdict.problemDetails[0], status: 400, instance: ctx.path, ...verdict }, problemType)
}

/** @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON, INVALID_REQUEST */
async function bodyOf(ctx: KoaContext): Promise<Json> {
  const faults = new Faults(true)
  const value = parseBody(await readBody(ctx), 'json', faults)
  if (!faults.any && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    faults.add('INVALID_REQUEST', { path: 'body', code: 'type', message: 'must be an object' })
  }
  faults.refuse()
  return value as Json
}

async function answerProblems(ctx: KoaContext, next: () => Promise<unknown>, { settings, log }: Context, api: VcApi): Promise<void> {
  const requestId = randomUUID()
  ctx.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' })
  try {
    await next()
  } catch (error) {
    writeProblem(ctx, problemOf(error, { instance: ctx.path, requestId, baseUrl: settings.baseUrl, log }), api)
  }
  await dropRest(ctx)
}

/** What the product refuses as 422 is 400 here: the VC-API knows no other word for what is malformed. */
function writeProblem(ctx: KoaContext, { status, headers, body }: Written, api: VcApi): void {
  const shown = status === 422 ? 400 : status
  const { errors = [] } = body as { errors?: readonly Violation[] }
  ctx.set(headers)
  writeJson(ctx, shown, {
    ...body, status: shown,
    ...(ctx.state['verdict'] === true && { verified: false }),
    ...(errors.length > 0 && { problemDetails: errors.map((one) => api.problemOf(one)) }),
  }, problemType)
}

function writeJson(ctx: KoaContext, status: number, value: object, type = 'application/json; charset=utf-8'): void {
  ctx.status = status
  ctx.body = JSON.stringify(value)
  ctx.type = type
}
