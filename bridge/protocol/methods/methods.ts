import type { Catalogue, Tool, ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import type { HeaderParameter } from '../../../tools/catalogue/header-parameters.ts'
import type { JobState, StartedJob } from '../../../tools/results/jobs.ts'
import { toDoubles } from '../../../tools/json.ts'
import { ReadRefusedError, type OwnTool } from '../../../tools/own/own-tool.ts'
import { isKeptUri } from '../../../tools/own/kept-answer.ts'
import { createProblem } from '../../../tools/results/problems.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import type { ResourceEntry, TemplateEntry } from '../../../tools/catalogue/resources.ts'
import type { ServerInfo } from '../../../tools/server-description.ts'
import {
  createFailureResult,
  createToolResult,
  createRangeSelector,
  mustBeKept,
  type ToolResult,
} from '../../../tools/results/results.ts'
import { getReachableView, getVisibleTools, type VisibleTools } from '../../../tools/catalogue/visible-tools.ts'
import { explainMissingTool } from '../../../tools/search/missing.ts'
import { toIssues } from '../../../tools/results/issues.ts'
import { addText } from '../../../tools/results/structure-texts.ts'
import { getPromptRange, type PromptEntry, type PromptResult } from '../../../tools/catalogue/prompt-operations.ts'
import { parseArguments } from '../../api/call-arguments.ts'
import { completeArgument, type Completion } from '../../api/completions.ts'
import { describeReplay } from '../../api/idempotency.ts'
import type { Upstream } from '../../api/upstream.ts'
import { getCallerKey, maxConfirmedPerMinute, unlimitedCalls, type CallLimiter } from '../../access/call-limiter.ts'
import type { CatalogueView } from '../../access/catalogue-view.ts'
import type { KeptAnswers } from '../../shared/kept-answers.ts'
import type { Log } from '../../shared/log.ts'
import { noMetrics, type Metrics } from '../../shared/metrics.ts'
import { getPromptEntries } from '../../api/prompts.ts'
import { createInstructions } from '../instructions.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import { ApiCalls } from './api-calls.ts'
import type { Confirmations } from './confirmations.ts'
import type { PreparedLists } from './prepared-lists.ts'
import { prepareRequest, dependsOnClient, type PreparedRequest } from './prepare-request.ts'
import type { MethodCall, ToolCallOutcome, EraDialect } from './method-call.ts'
import { getPrompt } from './get-prompt.ts'
import { JobFollower, type StartedCall } from './job-follower.ts'
import { readKeptAnswer, readResource } from './read-resource.ts'
import { createRefusalError } from './refusal-error.ts'
import { resolveCall, type CallTarget } from './resolve-call.ts'

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
/** The milliseconds for which a job is followed whose progress nobody asked for. */
const briefFollowMs = 12_000

/** What is added to the failure of a call that a seal confirmed. */
const spentText = '`confirm` is used up: call without it for a new preview.'

export interface McpMethodsOptions {
  readonly metrics?: Metrics
  readonly callLimiter?: CallLimiter
  /** Aborted when the bridge stops. */
  readonly stopSignal?: AbortSignal
  readonly confirmations: Confirmations
  readonly keptAnswers: KeptAnswers
}

/** Implements the protocol's methods with calls of the API. It keeps nothing of a caller between two calls. */
export class McpMethods {
  readonly #api: ApiCalls
  readonly #catalogue: () => Catalogue | null
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #callLimiter: CallLimiter
  readonly #jobs: JobFollower
  readonly #confirmations: Confirmations
  readonly #keptAnswers: KeptAnswers
  #mismatches = 0

  constructor(upstream: Upstream, catalogue: () => Catalogue | null, log: Log, options: McpMethodsOptions) {
    this.#catalogue = catalogue
    this.#log = log
    this.#metrics = options.metrics ?? noMetrics
    this.#callLimiter = options.callLimiter ?? unlimitedCalls
    this.#confirmations = options.confirmations
    this.#keptAnswers = options.keptAnswers
    const stopSignal = options.stopSignal ?? new AbortController().signal
    this.#api = new ApiCalls(upstream, log, this.#metrics, stopSignal)
    const send = (request: ApiRequest, call: MethodCall, operation: string) => this.#api.send(request, call, operation)
    this.#jobs = new JobFollower(upstream, log, send, stopSignal, options.keptAnswers)
  }

  /** The number of API answers since the start that did not fit the document. */
  get mismatches(): number {
    return this.#mismatches
  }

  /** Resolves when all changes that were sent to the API are answered. */
  settleWrites(): Promise<void> {
    return this.#api.settleWrites()
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
  getHeaderParameters(target: CallTarget): readonly HeaderParameter[] {
    const call = resolveCall(target, this.#readCatalogue())
    const parameters = this.#findVisibleTool(call.params['name'], call)?.headerParameters ?? []
    // The client of `call_operation` does not know these headers, but what it sends must be true.
    return call === target
      ? parameters
      : parameters.map(({ header, path }) => ({ header, path: ['arguments', ...path], optional: true }))
  }

  /** Returns whether a call can report progress, which it can if it starts a job. */
  canNotifyProgress(target: CallTarget): boolean {
    const { params, ...listContext } = resolveCall(target, this.#readCatalogue())
    const tool = this.#findVisibleTool(params['name'], listContext)
    return tool?.operation.successes.some(({ status }) => status === '202') ?? false
  }

  /** Returns whether a URI names a text of the bridge itself, such as a schema, which is the same for all callers. */
  isOwnUri(uri: unknown): boolean {
    return typeof uri === 'string' && !isKeptUri(uri) && this.#readCatalogue().resources.isOwn(uri)
  }

  /** Returns whether a call may ask a person, or depends on the client's capabilities. */
  canElicit(target: CallTarget): boolean {
    const catalogue = this.#readCatalogue()
    const name = resolveCall(target, catalogue).params['name']
    if (typeof name !== 'string') return false
    const known = catalogue.tools.get(name)
    return catalogue.ownTools.get(name)?.canElicit ?? (known !== undefined && dependsOnClient(known))
  }

  /** @throws ProtocolError */
  getPrompt(call: MethodCall): Promise<PromptResult> {
    const name = typeof call.params['name'] === 'string' ? call.params['name'] : ''
    return getPrompt(call, this.#readCatalogue(), (request) => this.#api.send(request, call, name, getPromptRange))
  }

  /** @throws ProtocolError */
  async completeArgument(call: MethodCall): Promise<{ completion: Completion }> {
    try {
      return await completeArgument(call.params, this.#readCatalogue(), this.#api.createReader(call, 'complete'))
    } catch (cause) {
      throw cause instanceof ReadRefusedError ? createRefusalError(cause.problem, call.dialect) : cause
    }
  }

  /** Calls a tool. Every failure except an unknown name is a result. @throws ProtocolError for an unknown name */
  async callTool(outerCall: MethodCall): Promise<ToolCallOutcome> {
    const catalogue = this.#readCatalogue()
    const call = resolveCall(outerCall, catalogue)
    const name = typeof call.params['name'] === 'string' ? call.params['name'] : ''
    const visibleTools = this.#listVisibleTools(call)
    const ownTool = visibleTools.ownTools.get(name)
    if (ownTool) return { is: 'complete', result: await this.#callOwn(ownTool, call) }
    const tool = visibleTools.has(name) && findTool(catalogue, name)
    if (!tool) throw this.#createMissingToolError(call)
    return await this.#callOperation(tool, catalogue, call)
  }

  #createMissingToolError({ params: { name }, view, dialect }: MethodCall): ProtocolError {
    const reachable = this.#listVisibleTools({ view: view.search ? getReachableView(view) : view, dialect })
    const explanation =
      typeof name === 'string'
        ? explainMissingTool(name, this.#readCatalogue(), view, (one) => reachable.has(one))
        : `There is no tool ${JSON.stringify(name)}`
    return new ProtocolError(codes.invalidParams, explanation)
  }

  /** Returns the document's name and version: the same object as long as the document stays. @throws ProtocolError */
  getServerInfo(): ServerInfo {
    return this.#readCatalogue().server.info
  }

  /** Returns the instructions for a client's model in a view. @throws ProtocolError */
  getInstructions(view: CatalogueView): string {
    return createInstructions(this.#readCatalogue(), view)
  }

  /** Reads how far a job is. @param path the status route of the job, as the API named it @throws ProtocolError */
  readJob(path: string, call: MethodCall): Promise<JobState> {
    return this.#jobs.read(path, call)
  }

  /**
   * Creates the result of a call whose job has ended meanwhile. @param started the body of the answer that named the
   * job; undefined if it is not known any more @throws ProtocolError
   */
  async createEndedResult(toolName: string, job: StartedJob, state: JobState, started: unknown, call: MethodCall) {
    const catalogue = this.#readCatalogue()
    const tool = findTool(catalogue, toolName)
    const result: ToolResult = { content: [] }
    const { resources } = catalogue
    const startedCall = { tool: tool ?? unknownTool, resources }
    await this.#jobs.showEnd(state, job, call, result, { started, startedCall })
    const link = tool?.operation.jobResult
    if (link) await this.#jobs.addLinkedResult(link, call, result)
    return result
  }

  async #callOperation(tool: Tool, catalogue: Catalogue, call: MethodCall): Promise<ToolCallOutcome> {
    const startedAtMs = Date.now()
    const prepared = await prepareRequest(tool, call, {
      confirmations: this.#confirmations,
      send: (request) => this.#api.send(request, call, tool.operation.name),
    })
    if ('result' in prepared) {
      this.#metrics.recordCall(tool.operation.name, 'unsent', (Date.now() - startedAtMs) / 1000)
      return { is: 'complete', result: prepared.result }
    }
    const outcome = await this.#sendPrepared(tool, catalogue, call, prepared, startedAtMs)
    if (prepared.isSealed && outcome.result.isError) addText(outcome.result, spentText)
    return outcome
  }

  async #sendPrepared(
    tool: Tool,
    catalogue: Catalogue,
    call: MethodCall,
    { request, isDryRun }: PreparedRequest,
    startedAtMs: number,
  ): Promise<ToolCallOutcome> {
    const over =
      tool.operation.needsConfirmation && !isDryRun
        ? await this.#callLimiter.countCalls(getCallerKey(call.context), tool.operation.name)
        : null
    if (over) return { is: 'complete', result: this.#createTooOftenResult(over.retryAfter) }
    const isRead = request.method === 'GET' || tool.operation.hints.readOnlyHint
    const selectRange = createRangeSelector(request, catalogue.resources)
    const { answer, problem } = isRead
      ? await this.#api.send(request, call, tool.operation.name, selectRange)
      : await this.#api.sendWrite(request, call, tool.operation.name, selectRange)
    if (!answer) {
      const writes = !isRead && problem.status !== 503 && !isDryRun
      return {
        is: 'complete',
        result: createFailureResult(problem, { writes, isRepeatable: request.idempotency?.isRepeatable }),
      }
    }
    const { resources } = catalogue
    const { wrapsStructure } = call.dialect
    const keptUri = mustBeKept(request, answer, resources)
      ? await this.#keptAnswers.keep(call.context.callerHash, answer)
      : null
    const options = { resources, wrapsStructure, secrets: tool.secrets, keptUri, onlyReads: isRead || isDryRun }
    const { result, job } = createToolResult(request, answer, options)
    const replay = describeReplay(request, answer)
    const startedCall = { tool, resources }
    if (call.view.fullSchemas) this.#checkOutput(tool, call.dialect, result)
    // A task reports no progress. Source: SEP-2663.
    const running = job && call.acceptsTasks ? await this.#jobs.findRunningJob(job, call, result, startedCall) : null
    if (running) {
      const carriedBody = tool.secrets === null ? result.structuredContent : undefined
      if (replay !== null) addText(result, replay)
      return { is: 'task', toolName: tool.operation.name, ...running, result, carriedBody }
    }
    if (job) await this.#addJobEnd(job, startedCall, call, result, startedAtMs)
    // The end of a job takes the place of the content, so what is said of the whole call comes after it.
    if (replay !== null) addText(result, replay)
    return { is: 'complete', result }
  }

  /**
   * Follows a job that is no task: with progress for as long as a client waits, without it briefly, and only if its
   * operation says where its result is read, which then is part of the result.
   */
  async #addJobEnd(
    job: StartedJob,
    startedCall: StartedCall & { readonly tool: Tool },
    call: MethodCall,
    result: ToolResult,
    startedAtMs: number,
  ): Promise<void> {
    const { jobResult } = startedCall.tool.operation
    if (!call.notifyProgress && !jobResult) return
    const deadlineMs = startedAtMs + (call.notifyProgress ? maxFollowMs : briefFollowMs)
    // A client that accepts tasks gets here only with a job that is over.
    const isOver = call.acceptsTasks || (await this.#jobs.follow(job, call, result, startedCall, deadlineMs))
    if (isOver && jobResult) await this.#jobs.addLinkedResult(jobResult, call, result)
  }

  #createTooOftenResult(seconds: number): ToolResult {
    this.#metrics.recordRefusal('operation_limit')
    const detail = `More than ${maxConfirmedPerMinute} calls of this operation in a minute. Nothing was sent.`
    const problem = createProblem(429, detail, { code: 'RATE_LIMITED' })
    return createFailureResult(problem, { writes: false, retryAfter: String(seconds) })
  }

  /** Returns an object that stays the same as long as the document does, for what is made once per document. */
  getDocumentKey(): object {
    return this.#readCatalogue()
  }

  /** Answers `resources/read`. @throws ProtocolError */
  readResource(call: MethodCall): ReturnType<typeof readResource> {
    const { uri } = call.params
    if (typeof uri === 'string' && isKeptUri(uri)) return readKeptAnswer(uri, call, this.#keptAnswers)
    return readResource(call, this.#readCatalogue(), (request, operation, selectRange) =>
      this.#api.send(request, call, operation, selectRange),
    )
  }

  async #callOwn({ entry, validateArguments, callTool: callOwnTool }: OwnTool, call: MethodCall): Promise<ToolResult> {
    const parsed = parseArguments(validateArguments, call.params['arguments'] ?? {})
    if ('problem' in parsed) return createFailureResult(parsed.problem, { writes: false, unsent: true })
    try {
      return await callOwnTool(parsed.args, this.#api.createReader(call, entry.name), call.elicitInput)
    } catch (cause) {
      if (!(cause instanceof ReadRefusedError)) throw cause
      return createFailureResult(cause.problem, { writes: false, retryAfter: cause.retryAfter })
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

  #checkOutput(tool: Tool, { wrapsStructure }: EraDialect, { structuredContent, isError }: ToolResult): void {
    if (isError || structuredContent === undefined) return
    const errors = tool.validateOutput(wrapsStructure ? 'session' : 'modern')?.(toDoubles(structuredContent)) ?? []
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

/** What is known of a tool that the document does not have any more. */
const unknownTool = { secrets: null, startedPath: null }

const findTool = ({ tools, readTools }: Catalogue, name: string) => tools.get(name) ?? readTools.get(name)
