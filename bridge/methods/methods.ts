import { AddressError, type Match } from '../../tools/address.ts'
import type { Catalogue, Tool, ToolEntry } from '../../tools/catalogue.ts'
import type { HeaderParameter } from '../../tools/header-parameters.ts'
import type { JobState } from '../../tools/jobs.ts'
import { parsedJson } from '../../tools/json.ts'
import { Refusal, type OwnTool, type Read } from '../../tools/own-tool.ts'
import { base64, saysUtf8, utf8 } from '../../tools/parts.ts'
import { made, problemOf } from '../../tools/problems.ts'
import type { ApiAnswer, ApiRequest } from '../../tools/request.ts'
import type { ResourceEntry, ResourceIndex, TemplateEntry } from '../../tools/resources.ts'
import { failure, toolResult, windowFor, type ToolResult } from '../../tools/results.ts'
import { isText } from '../../tools/body.ts'
import { shownIn, type ShownCatalogue } from '../../tools/views.ts'
import { violations } from '../../tools/violations.ts'
import { promptWindow, type PromptEntry, type PromptResult } from '../../tools/prompt-operations.ts'
import { argumentsOf } from '../call-arguments.ts'
import { complete, type Completion } from '../completions.ts'
import { UpstreamError, type Upstream } from '../forward.ts'
import { callerOf, confirmedPerMinute, noLimits, type CallLimits } from '../limits.ts'
import type { Log } from '../log.ts'
import { unmeasured, type CallOutcomeName, type Metrics } from '../metrics.ts'
import { promptsOf } from '../prompts.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { MadeOnce } from './made-once.ts'
import { askFirst, dependsOnClient } from './ask-first.ts'
import type { Call, CallOutcome, Dialect, Outcome } from './call.ts'
import { getPrompt } from './get-prompt.ts'
import { Jobs } from './jobs.ts'
import { refusal } from './refusal.ts'

interface Lists {
  'tools/list': { tools: readonly ToolEntry[] }
  'resources/list': { resources: readonly ResourceEntry[] }
  'resources/templates/list': { resourceTemplates: readonly TemplateEntry[] }
  'prompts/list': { prompts: readonly PromptEntry[] }
}

export type ListName = keyof Lists
type Shown = Pick<Call, 'view' | 'dialect'>
const lists: { [Name in ListName]: (catalogue: Catalogue, shown: Shown) => Lists[Name] } = {
  'tools/list': (catalogue, { view, dialect }) => ({ tools: shownIn(catalogue, view, dialect.name).tools }),
  'resources/list': ({ resources }) => ({ resources: resources.statics }),
  'resources/templates/list': ({ resources }) => ({ resourceTemplates: resources.templates }),
  'prompts/list': (catalogue) => ({ prompts: promptsOf(catalogue) }),
}
export const listNames = Object.keys(lists) as ListName[]

/** A client may wait 60 s for an answer; this leaves time to send it. In milliseconds from the call's arrival. */
const followFor = 58_000

export interface MethodParts {
  readonly metrics?: Metrics
  readonly limits?: CallLimits
  /** Aborted when the bridge stops. */
  readonly ending?: AbortSignal
}

/** What the protocol's requests do, in terms of the API. It holds nothing of a caller between two calls. */
export class Methods {
  readonly #upstream: Upstream
  readonly #catalogue: () => Catalogue | null
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #limits: CallLimits
  readonly #jobs: Jobs
  #mismatches = 0

  constructor(upstream: Upstream, catalogue: () => Catalogue | null, log: Log, parts: MethodParts = {}) {
    this.#upstream = upstream
    this.#catalogue = catalogue
    this.#log = log
    this.#metrics = parts.metrics ?? unmeasured
    this.#limits = parts.limits ?? noLimits
    const send = (request: ApiRequest, call: Call, operation: string) => this.#send(request, call, operation, undefined)
    this.#jobs = new Jobs(upstream, log, send, parts.ending ?? new AbortController().signal)
  }

  /** Answers of the API that did not fit the document, since the start. */
  get mismatches(): number {
    return this.#mismatches
  }

  /** A list, which is the same for every caller. Throws ProtocolError. */
  list(name: ListName, call: Call): Record<string, unknown> {
    if (call.params['cursor'] !== undefined) {
      // A list has one page, so no cursor was ever handed out.
      throw new ProtocolError(codes.invalidParams, 'The cursor is not one of this list')
    }
    return lists[name](this.#ready(), call)
  }

  /** What is made of a list once for each document and view. Throws ProtocolError. */
  made<Made>(once: MadeOnce<Made>, name: ListName, shown: Shown): Made {
    const catalogue = this.#ready()
    const of = name === 'tools/list' ? this.#shown(shown) : catalogue
    return once.get(of, name, () => lists[name](catalogue, shown))
  }

  /** The arguments that a client of the modern era repeats as headers. */
  headerParameters(tool: unknown, shown: Shown): readonly HeaderParameter[] {
    return this.#tool(tool, shown)?.headers ?? []
  }

  /** Whether a tool may tell how far it is: it starts a job. */
  mayTell(tool: unknown, shown: Shown): boolean {
    return this.#tool(tool, shown)?.operation.successes.some(({ status }) => status === '202') ?? false
  }

  /** Whether an address is one of a schema, which is the same for everybody. */
  isSchema(uri: unknown): boolean {
    return typeof uri === 'string' && uri.startsWith(this.#ready().resources.addressOfSchema('#'))
  }

  /** Whether a call of this tool may ask people, or depends on what the client can do. */
  mayAsk(tool: unknown): boolean {
    if (typeof tool !== 'string') return false
    const { own, tools } = this.#ready()
    const known = tools.get(tool)
    return own.has(tool) || (known !== undefined && dependsOnClient(known))
  }

  /** Throws ProtocolError. */
  getPrompt(call: Call): Promise<PromptResult> {
    const name = typeof call.params['name'] === 'string' ? call.params['name'] : ''
    return getPrompt(call, this.#ready(), (request) => this.#send(request, call, name, promptWindow))
  }

  /** Throws ProtocolError. */
  async complete(call: Call): Promise<{ completion: Completion }> {
    try {
      return await complete(call.params, this.#ready(), this.#reader(call, 'complete'))
    } catch (cause) {
      throw cause instanceof Refusal ? refusal(cause.problem, call.dialect) : cause
    }
  }

  /** Throws ProtocolError for an unknown name only; whatever else is wrong is a result. */
  async callTool(call: Call): Promise<CallOutcome> {
    const catalogue = this.#ready()
    const name = typeof call.params['name'] === 'string' ? call.params['name'] : ''
    const shown = shownIn(catalogue, call.view, call.dialect.name).has(name)
    const own = shown && catalogue.own.get(name)
    if (own) return { is: 'complete', result: await this.#callOwn(own, call) }
    const tool = shown && toolNamed(catalogue, name)
    if (!tool) throw new ProtocolError(codes.invalidParams, `There is no tool ${JSON.stringify(call.params['name'])}`)
    return await this.#callOperation(tool, catalogue, call)
  }

  /** How far a job is. Throws ProtocolError. @param path its status route, that the API named */
  job(path: string, call: Call): Promise<JobState> {
    return this.#jobs.read(path, call)
  }

  /** Throws ProtocolError. */
  resources(): ResourceIndex {
    return this.#ready().resources
  }

  async #callOperation(tool: Tool, catalogue: Catalogue, call: Call): Promise<CallOutcome> {
    const began = Date.now()
    const asked = await askFirst(tool, call)
    if ('result' in asked) {
      this.#metrics.call(tool.operation.name, 'unsent', (Date.now() - began) / 1000)
      return { is: 'complete', result: asked.result }
    }
    const { request } = asked
    const over = tool.operation.confirm ? await this.#limits.take(callerOf(call.exchange), tool.operation.name) : null
    if (over) return { is: 'complete', result: this.#tooOften(over.retryAfter) }
    const { answer, problem } = await this.#send(
      request,
      call,
      tool.operation.name,
      windowFor(request, catalogue.resources),
    )
    if (!answer) {
      const writes = request.method !== 'GET' && problem.status !== 503
      return { is: 'complete', result: failure(problem, { writes }) }
    }
    const { result, job } = toolResult(request, answer, catalogue.resources, call.dialect.wrapsStructure)
    if (call.view.fullSchemas) this.#compare(tool, call.dialect, result)
    // A task tells no progress. Source: SEP-2663.
    const going = job && call.tasks ? await this.#jobs.settle(job, call, result) : null
    if (going) return { is: 'task', called: tool.operation.name, ...going, result }
    if (job && call.tell && !call.tasks) await this.#jobs.follow(job, call, result, began + followFor)
    return { is: 'complete', result }
  }

  #tooOften(seconds: number): ToolResult {
    this.#metrics.refused('operation_limit')
    const detail = `More than ${confirmedPerMinute} calls of this operation in a minute. Nothing was sent.`
    const problem = made(429, detail, { code: 'RATE_LIMITED' })
    return failure(problem, { writes: false, retryAfter: String(seconds) })
  }

  /** The body of the REST answer. Throws ProtocolError. */
  async readResource(call: Call): Promise<{ contents: readonly Record<string, unknown>[] }> {
    const { uri } = call.params
    if (typeof uri !== 'string') throw new ProtocolError(codes.invalidParams, 'uri is missing')
    const match = this.#match(uri, call.dialect)
    if (match.is === 'schema') return { contents: [{ uri, mimeType: 'application/schema+json', text: match.text }] }
    const { request, window } = match
    const wanted = (status: number) => (window && status < 300 ? window : { from: 0, to: Infinity })
    const { answer, problem } = await this.#send(request, call, match.operation.name, wanted)
    if (!answer) throw new ProtocolError(codes.internal, problem.detail, problem)
    if (answer.status < 200 || answer.status >= 300) throw refusal(problemOf(answer), call.dialect, uri)
    const mimeType = answer.mediaType ?? 'application/octet-stream'
    const text = isText(mimeType) && saysUtf8(mimeType) ? utf8(answer.bytes) : null
    return { contents: [{ uri, mimeType, ...(text === null ? { blob: base64(answer.bytes) } : { text }) }] }
  }

  async #callOwn({ entry, validate, call: work }: OwnTool, call: Call): Promise<ToolResult> {
    const given = argumentsOf(validate, call.params['arguments'])
    if ('problem' in given) return failure(given.problem, { writes: false, unsent: true })
    try {
      return await work(given.args, this.#reader(call, entry.name), call.ask)
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      return failure(cause.problem, { writes: false, retryAfter: cause.retryAfter })
    }
  }

  /** @param purpose stands in the log in place of an operation. */
  #reader(call: Call, purpose: string): Read {
    return async (path) => {
      const accept = 'application/json, application/problem+json'
      const request: ApiRequest = { method: 'GET', path, accept, body: null }
      const { answer, problem } = await this.#send(request, call, purpose, undefined)
      if (!answer) throw new Refusal(problem)
      if (answer.status < 200 || answer.status >= 300) throw new Refusal(problemOf(answer), answer.retryAfter)
      return jsonOf(answer)
    }
  }

  /** What a client is told of what was thrown: of a failure of ours no more than that there was one. */
  worded(cause: unknown, gone: AbortSignal): ProtocolError {
    if (cause instanceof ProtocolError) return cause
    if (cause instanceof RangeError)
      return new ProtocolError(codes.invalidParams, 'The parameters are nested too deeply')
    if (!gone.aborted) this.#log.error({ err: cause }, 'a request failed')
    return new ProtocolError(codes.internal, 'Internal error')
  }

  #shown({ view, dialect }: Shown): ShownCatalogue {
    return shownIn(this.#ready(), view, dialect.name)
  }

  #tool(name: unknown, shown: Shown): Tool | null {
    return (typeof name === 'string' && this.#shown(shown).has(name) && toolNamed(this.#ready(), name)) || null
  }

  #ready(): Catalogue {
    const catalogue = this.#catalogue()
    if (!catalogue)
      throw new ProtocolError(codes.internal, 'The API document is not loaded yet; try again in some seconds')
    return catalogue
  }

  #match(uri: string, { notFound }: Dialect): Match {
    try {
      return this.#ready().resources.match(uri)
    } catch (cause) {
      if (cause instanceof AddressError) throw new ProtocolError(notFound, cause.message, { uri })
      throw cause
    }
  }

  /** The API's answer, or the problem of having none. Throws the signal's reason. */
  async #send(
    request: ApiRequest,
    { exchange, signal }: Call,
    operation: string,
    window: Parameters<Upstream['send']>[3],
  ): Promise<Outcome> {
    const begun = performance.now()
    const { trace } = exchange
    const ended = (how: CallOutcomeName) => this.#metrics.call(operation, how, (performance.now() - begun) / 1000)
    try {
      const answer = await this.#upstream.send(request, exchange, signal, window)
      ended(answer.status < 400 ? 'ok' : answer.status < 500 ? 'refused' : 'failed')
      this.#log.debug(
        { operation, status: answer.status, trace, milliseconds: Math.round(performance.now() - begun) },
        'called',
      )
      return { answer }
    } catch (cause) {
      ended(cause instanceof UpstreamError ? 'unreachable' : 'aborted')
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ operation, trace, err: cause }, cause.message)
      return { problem: made(cause.status, `${cause.message}.`) }
    }
  }

  #compare(tool: Tool, { wrapsStructure }: Dialect, { structuredContent, isError }: ToolResult): void {
    if (isError || structuredContent === undefined) return
    const errors = tool.validateOutput(wrapsStructure ? 'session' : 'modern')?.(structuredContent) ?? []
    if (errors.length === 0) return
    this.#mismatches++
    this.#metrics.mismatch(tool.operation.name)
    const at = violations(errors).map(({ path, code }) => `${path} ${code}`)
    this.#log.warn(
      { operation: tool.operation.name, at, mismatches: this.#mismatches },
      'an answer does not fit the document',
    )
  }
}

const toolNamed = ({ tools, reads }: Catalogue, name: string) => tools.get(name) ?? reads.get(name)

function jsonOf({ bytes }: ApiAnswer): unknown {
  const value = parsedJson(bytes)
  if (value === undefined) throw new Refusal(made(502, 'The API answered something else than JSON.'))
  return value
}
