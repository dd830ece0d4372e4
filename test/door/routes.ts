import { randomUUID } from 'node:crypto'
import Router from '@koa/router'
import Koa, { type Context as KoaContext } from 'koa'
import { createNotFoundProblem, type Issue } from '../../core/kernel/problem.ts'
import type { Context } from '../../core/kernel/work.ts'
import { createBodyReader, parseBody } from '../../core/http/body/body.ts'
import { IssueCollector } from '../../core/http/problems/issue-collector.ts'
import { drainRequest } from '../../core/http/body/drain-request.ts'
import { toProblemAnswer, problemMediaType, type ProblemAnswer } from '../../core/http/problems/problems.ts'

type JsonObject = Record<string, unknown>

/** What is wrong with a credential, as a problem type of W3C. Source: VC Data Model 2.0, section 7.2. */
export interface VcProblem {
  type: string
  title: string
  detail: string
}

/** The result of a verification. `problemDetails` is empty if the credential was verified. */
export interface VcVerificationResult {
  verified: boolean
  problemDetails: readonly VcProblem[]
}

/**
 * The functions behind the routes: the product's own issuing and verifying. They validate the bodies themselves. All of
 * them throw ProblemError.
 */
export interface VcApi {
  /** Names of credential forms that may stand in a path before the routes. */
  forms: readonly string[]
  /** Describes the issuer and the ways in which it issues. */
  describeIssuer(): Promise<object>
  /**
   * Issues a credential. @param options the form that the path names, or null, and the Accept header
   * @returns the credential as it is answered
   */
  issueCredential(body: JsonObject, options: { form: string | null; accept: string | undefined }): Promise<object>
  verifyCredential(body: JsonObject): Promise<VcVerificationResult>
  verifyPresentation(body: JsonObject): Promise<VcVerificationResult>
  /** Converts an issue of a request to a problem type of W3C. */
  toVcProblem(issue: Issue): VcProblem
}

/** The reader of bodies, with the same limit as the product's own operations, 1 MiB. */
const readBody = createBodyReader({ maxBytes: 1024 * 1024, tooLargeCode: 'PAYLOAD_TOO_LARGE', kind: 'json' })

/**
 * Creates the routes of the W3C VC-API for external test suites, without sign-in, rate limits or pages. Each route
 * exists at the root and below `/<form>`, for suites that can only choose by address. Where the VC-API draft and the
 * suites of W3C differ, the routes follow the suites. An issued credential is the whole body, while the draft wraps it
 * in `verifiableCredential`; over http the suites accept only the first. A failed verification is 400, like a malformed
 * body, while the draft answers 200; the suites recognize a failure by the status. Source: W3C CCG VC-API 0.7, sections
 * 3.2 and 3.3; w3c/vc-data-model-2.0-test-suite, tests/TestEndpoints.js.
 */
export function createVcApi(context: Context, api: VcApi): Koa {
  const app = new Koa()
  app.silent = true
  app.use((ctx, next) => answerProblems(ctx, next, context, api))
  const router = new Router({ strict: true, sensitive: true })
  router.get('/', async (ctx) => writeJson(ctx, 200, await api.describeIssuer()))
  for (const prefix of ['', '/:form']) {
    router.post(`${prefix}/credentials/issue`, async (ctx) => {
      const options = { form: getRequestedForm(ctx, api), accept: ctx.req.headers.accept }
      writeJson(ctx, 201, await api.issueCredential(await readJsonBody(ctx), options))
    })
    router.post(`${prefix}/credentials/verify`, (ctx) =>
      answerVerification(ctx, api, (body) => api.verifyCredential(body)),
    )
    router.post(`${prefix}/presentations/verify`, (ctx) =>
      answerVerification(ctx, api, (body) => api.verifyPresentation(body)),
    )
  }
  app.use(router.routes())
  app.use(() => {
    throw createNotFoundProblem()
  })
  return app
}

/** Returns the form that the path names, or null. @throws NOT_FOUND for an unknown form */
function getRequestedForm(ctx: KoaContext & { params: Record<string, string> }, { forms }: VcApi): string | null {
  const { form } = ctx.params
  if (form === undefined) return null
  if (!forms.includes(form)) throw createNotFoundProblem()
  return form
}

async function answerVerification(
  ctx: KoaContext & { params: Record<string, string> },
  api: VcApi,
  verify: (body: JsonObject) => Promise<VcVerificationResult>,
): Promise<void> {
  getRequestedForm(ctx, api)
  ctx.state['verdict'] = true
  const verdict = await verify(await readJsonBody(ctx))
  if (verdict.verified) return writeJson(ctx, 200, verdict)
  writeJson(ctx, 400, { ...verdict.problemDetails[0], status: 400, instance: ctx.path, ...verdict }, problemMediaType)
}

/**
 * Reads a body that is a JSON object.
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON, INVALID_REQUEST
 */
async function readJsonBody(ctx: KoaContext): Promise<JsonObject> {
  const issues = new IssueCollector(true)
  const value = parseBody(await readBody(ctx), 'json', issues)
  if (!issues.hasIssues && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    issues.add('INVALID_REQUEST', { path: 'body', code: 'type', message: 'must be an object' })
  }
  issues.assertNone()
  return value as JsonObject
}

async function answerProblems(
  ctx: KoaContext,
  next: () => Promise<unknown>,
  { settings, log }: Context,
  api: VcApi,
): Promise<void> {
  const requestId = randomUUID()
  ctx.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' })
  try {
    await next()
  } catch (error) {
    writeProblem(ctx, toProblemAnswer(error, { instance: ctx.path, requestId, baseUrl: settings.baseUrl, log }), api)
  }
  await drainRequest(ctx)
}

/** Writes a problem. A 422 of the product becomes 400, the only status of the VC-API for a malformed request. */
function writeProblem(ctx: KoaContext, { status, headers, body }: ProblemAnswer, api: VcApi): void {
  const answeredStatus = status === 422 ? 400 : status
  const { errors = [] } = body as { errors?: readonly Issue[] }
  ctx.set(headers)
  writeJson(
    ctx,
    answeredStatus,
    {
      ...body,
      status: answeredStatus,
      ...(ctx.state['verdict'] === true && { verified: false }),
      ...(errors.length > 0 && { problemDetails: errors.map((one) => api.toVcProblem(one)) }),
    },
    problemMediaType,
  )
}

function writeJson(ctx: KoaContext, status: number, value: object, type = 'application/json; charset=utf-8'): void {
  ctx.status = status
  ctx.body = JSON.stringify(value)
  ctx.type = type
}
