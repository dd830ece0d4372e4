import { AddressError, type AddressMatch } from '../../../tools/arguments/address.ts'
import type { Catalogue, Tool, ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import type { HeaderParameter } from '../../../tools/catalogue/header-parameters.ts'
import type { JobState } from '../../../tools/results/jobs.ts'
import { parseJson } from '../../../tools/json.ts'
import { ReadRefusedError, type OwnTool, type ApiReader } from '../../../tools/own/own-tool.ts'
import { encodeBase64, isDeclaredUtf8, decodeUtf8 } from '../../../tools/results/text-parts.ts'
import { createProblem, toProblem } from '../../../tools/results/problems.ts'
import type { ApiAnswer, ApiRequest } from '../../../tools/results/api-request.ts'
import type { ResourceEntry, ResourceIndex, TemplateEntry } from '../../../tools/catalogue/resources.ts'
import {
  createFailureResult,
  createToolResult,
  createRangeSelector,
  type ToolResult,
} from '../../../tools/results/results.ts'
import { isText } from '../../../tools/arguments/body-form.ts'
import { getVisibleTools, type VisibleTools } from '../../../tools/catalogue/visible-tools.ts'
import { toIssues } from '../../../tools/results/issues.ts'
import { getPromptRange, type PromptEntry, type PromptResult } from '../../../tools/catalogue/prompt-operations.ts'
import { parseArguments } from '../../api/call-arguments.ts'
import { completeArgument, type Completion } from '../../api/completions.ts'
import { UpstreamError, type Upstream } from '../../api/upstream.ts'
import { getCallerKey, maxConfirmedPerMinute, unlimitedCalls, type CallLimiter } from '../../access/call-limiter.ts'
import type { Log } from '../../shared/log.ts'
import { noMetrics, type CallOutcomeLabel, type Metrics } from '../../shared/metrics.ts'
import { getPromptEntries } from '../../api/prompts.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { PreparedLists } from './prepared-lists.ts'
import { prepareRequest, dependsOnClient } from './prepare-request.ts'
import type { MethodCall, ToolCallOutcome, EraDialect, ApiOutcome } from './method-call.ts'
import { getPrompt } from './get-prompt.ts'
import { JobFollower } from './job-follower.ts'
import { createRefusalError } from './refusal-error.ts'

interface ListResults {
  'tools/list': { tools: readonly ToolEntry[] }
  'resources/list': { resources: readonly ResourceEntry[] }
  'resources/templates/list': { resourceTemplates: readonly TemplateEntry[] }
  'prompts/list': { prompts: readonly PromptEntry[] }
}

export type ListName = keyof ListResults
type ListContext = Pick<MethodCall, 'view' | 'dialect'>
const listBuilders: { [Name in ListName]: (catalogue: Catalogue, listContext: ListContext) => ListResults[Name] } = {
  'tools/list': (catalogue, { view, dialect }) => ({ tools: getVisibleTools(catalogue, view, dialect.name).tools }),
  'resources/list': ({ resources }) => ({ resources: resources.statics }),
  'resources/templates/list': ({ resources }) => ({ resourceTemplates: resources.templates }),
  'prompts/list': (catalogue) => ({ prompts: getPromptEntries(catalogue) }),
}
export const listNames = Object.keys(listBuilders) as ListName[]

/** The milliseconds after a call's arrival in which a job is followed. Clients may wait only 60 s for the answer. */
const maxFollowMs = 58_000

export interface McpMethodsOptions {
  readonly metrics?: Metrics
  readonly callLimiter?: CallLimiter
  /** Aborted when the bridge stops. */
  readonly stopSignal?: AbortSignal
}

/** Implements the protocol's methods with calls of the API. It keeps nothing of a caller between two calls. */
export class McpMethods {
  readonly #upstream: Upstream
  readonly #catalogue: () => Catalogue | null
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #callLimiter: CallLimiter
  readonly #jobs: JobFollower
  #mismatches = 0

  constructor(upstream: Upstream, catalogue: () => Catalogue | null, log: Log, options: McpMethodsOptions = {}) {
    this.#upstream = upstream
    this.#catalogue = catalogue
    this.#log = log
    this.#metrics = options.metrics ?? noMetrics
    this.#callLimiter = options.callLimiter ?? unlimitedCalls
    const send = (request: ApiRequest, call: MethodCall, operation: string) =>
      this.#sendToApi(request, call, operation, undefined)
    this.#jobs = new JobFollower(upstream, log, send, options.stopSignal ?? new AbortController().signal)
  }

  /** The number of API answers since the start that did not fit the document. */
  get mismatches(): number {
    return this.#mismatches
  }

  /** Returns a list, which is the same for every caller. @throws ProtocolError */
  getList(name: ListName, call: MethodCall): Record<string, unknown> {
    if (call.params['cursor'] !== undefined) {
      // A list has one page, so no cursor was ever handed out.
      throw new ProtocolError(codes.invalidParams, 'The cursor is not one of this list')
    }
    return listBuilders[name](this.#readCatalogue(), call)
  }

  /** Returns the prepared form of a list, which is made once per document and view. @throws ProtocolError */
  getPreparedList<Prepared>(
    preparedLists: PreparedLists<Prepared>,
    name: ListName,
    listContext: ListContext,
  ): Prepared {
    const catalogue = this.#readCatalogue()
    const of = name === 'tools/list' ? this.#listVisibleTools(listContext) : catalogue
    return preparedLists.get(of, name, () => listBuilders[name](catalogue, listContext))
  }

  /** Returns the arguments of a tool that a client of the modern era repeats as headers. */
  getHeaderParameters(tool: unknown, listContext: ListContext): readonly HeaderParameter[] {
    return this.#findVisibleTool(tool, listContext)?.headerParameters ?? []
  }

  /** Returns whether a tool can report progress, which it can if it starts a job. */
  canNotifyProgress(tool: unknown, listContext: ListContext): boolean {
    return this.#findVisibleTool(tool, listContext)?.operation.successes.some(({ status }) => status === '202') ?? false
  }

  /** Returns whether a URI names a schema. Schemas are the same for all callers. */
  isSchemaUri(uri: unknown): boolean {
    return typeof uri === 'string' && uri.startsWith(this.#readCatalogue().resources.getSchemaAddress('#'))
  }

  /** Returns whether a call of this tool may ask a person, or depends on the client's capabilities. */
  canElicit(tool: unknown): boolean {
    if (typeof tool !== 'string') return false
    const { ownTools, tools } = this.#readCatalogue()
    const known = tools.get(tool)
    return ownTools.has(tool) || (known !== undefined && dependsOnClient(known))
  }

  /** @throws ProtocolError */
  getPrompt(call: MethodCall): Promise<PromptResult> {
    const name = typeof call.params['name'] === 'string' ? call.params['name'] : ''
    return getPrompt(call, this.#readCatalogue(), (request) => this.#sendToApi(request, call, name, getPromptRange))
  }

  /** @throws ProtocolError */
  async completeArgument(call: MethodCall): Promise<{ completion: Completion }> {
    try {
      return await completeArgument(call.params, this.#readCatalogue(), this.#createApiReader(call, 'complete'))
    } catch (cause) {
      throw cause instanceof ReadRefusedError ? createRefusalError(cause.problem, call.dialect) : cause
    }
  }

  /** Calls a tool. Every failure except an unknown name is a result. @throws ProtocolError for an unknown name */
  async callTool(call: MethodCall): Promise<ToolCallOutcome> {
    const catalogue = this.#readCatalogue()
    const name = typeof call.params['name'] === 'string' ? call.params['name'] : ''
    const isVisible = getVisibleTools(catalogue, call.view, call.dialect.name).has(name)
    const ownTool = isVisible && catalogue.ownTools.get(name)
    if (ownTool) return { is: 'complete', result: await this.#callOwn(ownTool, call) }
    const tool = isVisible && findTool(catalogue, name)
    if (!tool) throw new ProtocolError(codes.invalidParams, `There is no tool ${JSON.stringify(call.params['name'])}`)
    return await this.#callOperation(tool, catalogue, call)
  }

  /** Reads how far a job is. @param path the status route of the job, as the API named it @throws ProtocolError */
  readJob(path: string, call: MethodCall): Promise<JobState> {
    return this.#jobs.read(path, call)
  }

  /** @throws ProtocolError */
  getResources(): ResourceIndex {
    return this.#readCatalogue().resources
  }

  async #callOperation(tool: Tool, catalogue: Catalogue, call: MethodCall): Promise<ToolCallOutcome> {
    const startedAtMs = Date.now()
    const prepared = await prepareRequest(tool, call)
    if ('result' in prepared) {
      this.#metrics.recordCall(tool.operation.name, 'unsent', (Date.now() - startedAtMs) / 1000)
      return { is: 'complete', result: prepared.result }
    }
    const { request } = prepared
    const over = tool.operation.needsConfirmation
      ? await this.#callLimiter.countCalls(getCallerKey(call.context), tool.operation.name)
      : null
    if (over) return { is: 'complete', result: this.#createTooOftenResult(over.retryAfter) }
    const { answer, problem } = await this.#sendToApi(
      request,
      call,
      tool.operation.name,
      createRangeSelector(request, catalogue.resources),
    )
    if (!answer) {
      const writes = request.method !== 'GET' && problem.status !== 503
      return { is: 'complete', result: createFailureResult(problem, { writes }) }
    }
    const { result, job } = createToolResult(request, answer, catalogue.resources, call.dialect.wrapsStructure)
    if (call.view.fullSchemas) this.#checkOutput(tool, call.dialect, result)
    // A task reports no progress. Source: SEP-2663.
    const running = job && call.acceptsTasks ? await this.#jobs.findRunningJob(job, call, result) : null
    if (running) return { is: 'task', toolName: tool.operation.name, ...running, result }
    if (job && call.notifyProgress && !call.acceptsTasks)
      await this.#jobs.follow(job, call, result, startedAtMs + maxFollowMs)
    return { is: 'complete', result }
  }

  #createTooOftenResult(seconds: number): ToolResult {
    this.#metrics.recordRefusal('operation_limit')
    const detail = `More than ${maxConfirmedPerMinute} calls of this operation in a minute. Nothing was sent.`
    const problem = createProblem(429, detail, { code: 'RATE_LIMITED' })
    return createFailureResult(problem, { writes: false, retryAfter: String(seconds) })
  }

  /** Returns the body of the REST answer as the contents of a resource. @throws ProtocolError */
  async readResource(call: MethodCall): Promise<{ contents: readonly Record<string, unknown>[] }> {
    const { uri } = call.params
    if (typeof uri !== 'string') throw new ProtocolError(codes.invalidParams, 'uri is missing')
    const match = this.#matchAddress(uri, call.dialect)
    if (match.is === 'schema') return { contents: [{ uri, mimeType: 'application/schema+json', text: match.text }] }
    const { request, byteRange } = match
    const selectRange = (status: number) => (byteRange && status < 300 ? byteRange : { from: 0, to: Infinity })
    const { answer, problem } = await this.#sendToApi(request, call, match.operation.name, selectRange)
    if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
    if (answer.status < 200 || answer.status >= 300) throw createRefusalError(toProblem(answer), call.dialect, uri)
    const mimeType = answer.mediaType ?? 'application/octet-stream'
    const text = isText(mimeType) && isDeclaredUtf8(mimeType) ? decodeUtf8(answer.bytes) : null
    return { contents: [{ uri, mimeType, ...(text === null ? { blob: encodeBase64(answer.bytes) } : { text }) }] }
  }

  async #callOwn({ entry, validateArguments, callTool: callOwnTool }: OwnTool, call: MethodCall): Promise<ToolResult> {
    const parsed = parseArguments(validateArguments, call.params['arguments'] ?? {})
    if ('problem' in parsed) return createFailureResult(parsed.problem, { writes: false, unsent: true })
    try {
      return await callOwnTool(parsed.args, this.#createApiReader(call, entry.name), call.elicitInput)
    } catch (cause) {
      if (!(cause instanceof ReadRefusedError)) throw cause
      return createFailureResult(cause.problem, { writes: false, retryAfter: cause.retryAfter })
    }
  }

  /** @param purpose the name in the log and the metrics, in place of an operation */
  #createApiReader(call: MethodCall, purpose: string): ApiReader {
    return async (path) => {
      const accept = 'application/json, application/problem+json'
      const request: ApiRequest = { method: 'GET', path, accept, body: null }
      const { answer, problem } = await this.#sendToApi(request, call, purpose, undefined)
      if (!answer) throw new ReadRefusedError(problem)
      if (answer.status < 200 || answer.status >= 300) throw new ReadRefusedError(toProblem(answer), answer.retryAfter)
      return parseJsonAnswer(answer)
    }
  }

  /** Converts what was thrown into an error for the client. Errors of the bridge itself keep their details private. */
  toProtocolError(cause: unknown, cancelSignal: AbortSignal): ProtocolError {
    if (cause instanceof ProtocolError) return cause
    if (cause instanceof RangeError)
      return new ProtocolError(codes.invalidParams, 'The parameters are nested too deeply')
    if (!cancelSignal.aborted) this.#log.error({ err: cause }, 'a request failed')
    return new ProtocolError(codes.internal, 'Internal error')
  }

  #listVisibleTools({ view, dialect }: ListContext): VisibleTools {
    return getVisibleTools(this.#readCatalogue(), view, dialect.name)
  }

  #findVisibleTool(name: unknown, listContext: ListContext): Tool | null {
    return (
      (typeof name === 'string'
        && this.#listVisibleTools(listContext).has(name)
        && findTool(this.#readCatalogue(), name))
      || null
    )
  }

  #readCatalogue(): Catalogue {
    const catalogue = this.#catalogue()
    if (!catalogue)
      throw new ProtocolError(codes.internal, 'The API document is not loaded yet; try again in some seconds')
    return catalogue
  }

  #matchAddress(uri: string, { notFound }: EraDialect): AddressMatch {
    try {
      return this.#readCatalogue().resources.matchAddress(uri)
    } catch (cause) {
      if (cause instanceof AddressError) throw new ProtocolError(notFound, cause.message, { uri })
      throw cause
    }
  }

  /** Sends a request to the API and returns its answer, or a problem if there is none. @throws the signal's reason */
  async #sendToApi(
    request: ApiRequest,
    { context, signal }: MethodCall,
    operation: string,
    selectRange: Parameters<Upstream['send']>[3],
  ): Promise<ApiOutcome> {
    const startedAtMs = performance.now()
    const { traceId } = context
    const recordCall = (how: CallOutcomeLabel) =>
      this.#metrics.recordCall(operation, how, (performance.now() - startedAtMs) / 1000)
    try {
      const answer = await this.#upstream.send(request, context, signal, selectRange)
      recordCall(answer.status < 400 ? 'ok' : answer.status < 500 ? 'refused' : 'failed')
      this.#log.debug(
        { operation, status: answer.status, trace: traceId, milliseconds: Math.round(performance.now() - startedAtMs) },
        'called',
      )
      return { answer }
    } catch (cause) {
      recordCall(cause instanceof UpstreamError ? 'unreachable' : 'aborted')
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ operation, trace: traceId, err: cause }, cause.message)
      return { problem: createProblem(cause.status, `${cause.message}.`) }
    }
  }

  #checkOutput(tool: Tool, { wrapsStructure }: EraDialect, { structuredContent, isError }: ToolResult): void {
    if (isError || structuredContent === undefined) return
    const errors = tool.validateOutput(wrapsStructure ? 'session' : 'modern')?.(structuredContent) ?? []
    if (errors.length === 0) return
    this.#mismatches++
    this.#metrics.recordMismatch(tool.operation.name)
    const at = toIssues(errors).map(({ path, code }) => `${path} ${code}`)
    this.#log.warn(
      { operation: tool.operation.name, at, mismatches: this.#mismatches },
      'an answer does not fit the document',
    )
  }
}

const findTool = ({ tools, readTools }: Catalogue, name: string) => tools.get(name) ?? readTools.get(name)

function parseJsonAnswer({ bytes }: ApiAnswer): unknown {
  const value = parseJson(bytes)
  if (value === undefined) throw new ReadRefusedError(createProblem(502, 'The API answered something else than JSON.'))
  return value
}
