import { AddressError, type Match } from '../../tools/address.ts'
import type { Catalogue, Tool, ToolEntry } from '../../tools/catalogue.ts'
import { jobText, type StartedJob } from '../../tools/jobs.ts'
import { Refusal, type OwnTool, type Read } from '../../tools/own-tool.ts'
import { base64, saysUtf8, utf8 } from '../../tools/parts.ts'
import { made, problemOf, type Problem } from '../../tools/problems.ts'
import type { ApiAnswer, ApiRequest } from '../../tools/request.ts'
import type { ResourceEntry, TemplateEntry } from '../../tools/resources.ts'
import { failure, toolResult, windowFor, type ToolResult } from '../../tools/results.ts'
import { isText } from '../../tools/body.ts'
import { shownIn } from '../../tools/views.ts'
import { violations } from '../../tools/violations.ts'
import type { PromptEntry, PromptResult } from '../../prompts/prompt.ts'
import { argumentsOf, requestOf } from '../call-arguments.ts'
import { complete, type Completion } from '../completions.ts'
import { followJob } from '../follow-job.ts'
import { UpstreamError, type Upstream } from '../forward.ts'
import type { Log } from '../log.ts'
import { promptList, writePrompt } from '../prompts.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { Call, CallOutcome, Dialect } from './call.ts'

type Outcome = { answer: ApiAnswer; problem?: never } | { answer?: never; problem: Problem }

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
  'prompts/list': () => ({ prompts: promptList }),
}
export const listNames = Object.keys(lists) as ListName[]

/** A client may wait 60 s for an answer; this leaves time to send it. In milliseconds from the call's arrival. */
const followFor = 58_000

/** What the protocol's requests do, in terms of the API. It holds nothing of a caller between two calls. */
export class Methods {
  readonly #upstream: Upstream
  readonly #catalogue: () => Catalogue | null
  readonly #log: Log
  readonly #texts = new WeakMap<Catalogue, Map<string, string>>()
  #mismatches = 0

  constructor(upstream: Upstream, catalogue: () => Catalogue | null, log: Log) {
    this.#upstream = upstream
    this.#catalogue = catalogue
    this.#log = log
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

  /** The same as JSON, made once for each document and view. Throws ProtocolError. */
  listText(name: ListName, shown: Shown): string {
    const catalogue = this.#ready()
    const texts = this.#texts.get(catalogue) ?? new Map<string, string>()
    this.#texts.set(catalogue, texts)
    const key = `${name} ${shown.dialect.name} ${shown.view.key}`
    const text = texts.get(key) ?? JSON.stringify(lists[name](catalogue, shown))
    texts.set(key, text)
    return text
  }

  /** Whether a tool may ask people before it answers. */
  mayAsk(tool: unknown): boolean {
    return typeof tool === 'string' && this.#ready().own.has(tool)
  }

  /** Throws ProtocolError. */
  getPrompt({ params }: Call): PromptResult {
    return writePrompt(params, this.#ready())
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
    const tool = shown && catalogue.tools.get(name)
    if (!tool) throw new ProtocolError(codes.invalidParams, `There is no tool ${JSON.stringify(call.params['name'])}`)
    return { is: 'complete', result: await this.#callOperation(tool, catalogue, call) }
  }

  async #callOperation(tool: Tool, catalogue: Catalogue, call: Call): Promise<ToolResult> {
    const began = Date.now()
    const request = requestOf(tool, call.params['arguments'])
    if ('problem' in request) return failure(request.problem, { writes: false, unsent: true })
    const { answer, problem } = await this.#send(
      request,
      call,
      tool.operation.name,
      windowFor(request, catalogue.resources),
    )
    if (!answer) return failure(problem, { writes: request.method !== 'GET' && problem.status !== 503 })
    const { result, job } = toolResult(request, answer, catalogue.resources)
    if (call.view.fullSchemas) this.#compare(tool, result)
    if (job && call.tell) await this.#follow(job, call, call.tell, result, began + followFor)
    return result
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
    try {
      const answer = await this.#upstream.send(request, exchange, signal, window)
      this.#log.debug(
        { operation, status: answer.status, trace, milliseconds: Math.round(performance.now() - begun) },
        'called',
      )
      return { answer }
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ operation, trace, err: cause }, cause.message)
      return { problem: made(cause.status, `${cause.message}.`) }
    }
  }

  async #follow(
    job: StartedJob,
    { exchange, signal }: Call,
    tell: NonNullable<Call['tell']>,
    result: ToolResult,
    deadline: number,
  ): Promise<void> {
    try {
      const last = await followJob(this.#upstream, job, exchange, signal, deadline, tell)
      if (last) result.content.unshift({ type: 'text', text: jobText(last) })
    } catch (cause) {
      if (!(cause instanceof UpstreamError)) throw cause
      this.#log.warn({ trace: exchange.trace, err: cause }, 'the events of a job cannot be read')
    }
  }

  #compare(tool: Tool, { structuredContent, isError }: ToolResult): void {
    if (isError || structuredContent === undefined) return
    const errors = tool.validateOutput()?.(structuredContent) ?? []
    if (errors.length === 0) return
    this.#mismatches++
    const at = violations(errors).map(({ path, code }) => `${path} ${code}`)
    this.#log.warn(
      { operation: tool.operation.name, at, mismatches: this.#mismatches },
      'an answer does not fit the document',
    )
  }
}

function jsonOf({ bytes }: ApiAnswer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new Refusal(made(502, 'The API answered something else than JSON.'))
  }
}

/** A read that the API refused, as the era says it. */
function refusal(problem: Problem, { notFound, refused }: Dialect, uri?: string): ProtocolError {
  const message = `${problem.status} ${problem.code ?? problem.title}: ${problem.detail}`
  if (problem.status === 404) return new ProtocolError(notFound, message, { uri, ...problem })
  if (problem.status === 400 || problem.status === 422) return new ProtocolError(codes.invalidParams, message, problem)
  return new ProtocolError(problem.status >= 500 ? codes.internal : refused(problem.status), message, problem)
}
