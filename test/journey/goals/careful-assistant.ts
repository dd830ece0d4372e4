import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema, type CallToolResult, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { platform } from '../../support/platform.ts'
import { formatResourceUri } from './resource-uri.ts'

/** The two ways in which an assistant sees the tools. */
export type ViewName = 'default' | 'search'

/** What a tool or a resource answered, as a script reads it. */
export interface Outcome {
  /** What a model reads. */
  readonly text: string
  /** The structured content, or the parsed text of a resource. */
  readonly body: Json
  readonly isError: boolean
}

/** JSON as scripts read it, without a cast at every step. */
export interface Json {
  [name: string]: Json & string & number & boolean & Json[]
}

/** What a conversation took. */
export interface Tally {
  /** Tools called and resources read; in the search view also what was looked for. */
  calls: number
  /** The tokens (o200k) of requests and answers. */
  tokens: number
  /** The tokens of the lists of tools, resources and templates that were read before. */
  listTokens: number
  /** How often a person was asked. */
  questions: number
}

export interface AssistantOptions {
  readonly key: string
  readonly view: ViewName
  /** The client cannot show questions, so that the assistant gets previews and repeats its calls. */
  readonly cannotAsk?: true
  /** The person's answer to a question; yes without it. */
  readonly answer?: (message: string) => boolean
  readonly readonly?: true
  /** The assistant reads the guide first, and calls at once what the guide explains with every argument it needs. */
  readonly readsGuide?: true
}

/** How long one call may take, in milliseconds. */
const callTimeoutMs = 90_000

/**
 * A careful assistant without a model: it knows the names of operations from the lists that it reads, and nothing else of
 * the platform. It is the official client with a tally.
 */
export class CarefulAssistant {
  readonly tally: Tally = { calls: 0, tokens: 0, listTokens: 0, questions: 0 }
  /** The questions that a person was asked, in order. */
  readonly questions: string[] = []
  readonly #client: Client
  readonly #options: AssistantOptions
  readonly #described = new Set<string>()
  #losesNextAnswer = false
  #toolNames: ReadonlySet<string> | null = null
  #templates: ReadonlyMap<string, string> | null = null
  #guide = ''

  constructor(options: AssistantOptions) {
    this.#options = options
    const capabilities = options.cannotAsk ? {} : { elicitation: {} }
    this.#client = new Client({ name: 'careful-assistant', version: '1.0.0' }, { capabilities })
    if (!options.cannotAsk)
      this.#client.setRequestHandler(ElicitRequestSchema, ({ params }) => this.#answerQuestion(params.message))
  }

  async connect(): Promise<this> {
    const { key, view, readonly } = this.#options
    const url = new URL(platform.bridge)
    if (view === 'search') url.searchParams.set('view', 'search')
    if (readonly) url.searchParams.set('readonly', 'true')
    const transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { 'X-Api-Key': key } },
      fetch: (address, init) => this.#fetch(address, init),
    })
    await this.#client.connect(transport as unknown as Transport)
    const { tools } = await this.#client.listTools()
    this.#toolNames = new Set(tools.map(({ name }) => name))
    const shown = tools.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    }))
    this.tally.listTokens += countTokens(JSON.stringify(shown))
    if (this.#options.readsGuide) await this.#readGuide()
    return this
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  get toolNames(): ReadonlySet<string> {
    return this.#toolNames ?? new Set()
  }

  /**
   * Calls an operation, or reads it where it is a resource. A call that is answered by a preview is confirmed.
   * @param intent what the assistant wants, in the words of a person; in the search view it finds the operation by them
   */
  async do(intent: string, name: string, args: Record<string, unknown> = {}): Promise<Outcome> {
    const outcome = await this.#doOnce(intent, name, args)
    const { preview, confirm } = outcome.body
    return preview !== undefined && confirm !== undefined && args['confirm'] === undefined
      ? this.#doOnce(intent, name, { ...args, confirm })
      : outcome
  }

  async #doOnce(intent: string, name: string, args: Record<string, unknown>): Promise<Outcome> {
    if (this.#options.view === 'search') return this.#doBySearch(intent, name, args)
    return this.toolNames.has(name) ? this.callTool(name, args) : this.#readResource(name, args)
  }

  /** Does as `do`, and fails if the answer is an error. */
  async achieve(intent: string, name: string, args: Record<string, unknown> = {}): Promise<Outcome> {
    const outcome = await this.do(intent, name, args)
    expect(outcome.isError, `${name}: ${outcome.text}`).to.equal(false)
    return outcome
  }

  /** Lets the answer of the next tool call get lost on its way, after the bridge has sent it. */
  loseNextAnswer(): void {
    this.#losesNextAnswer = true
  }

  async callTool(name: string, args: Record<string, unknown>): Promise<Outcome> {
    this.#countRequest({ name, arguments: args })
    const result = (await this.#client.callTool({ name, arguments: args }, undefined, {
      timeout: callTimeoutMs,
      onprogress: () => undefined,
    })) as CallToolResult
    const text = result.content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
    const structured = result.structuredContent as Json | undefined
    this.#countAnswer(text)
    // A client shows a model the text, and the structured content where the text does not hold it.
    if (structured !== undefined && !holdsStructure(text, structured)) this.#countAnswer(JSON.stringify(structured))
    return { text, body: structured ?? ({} as Json), isError: result.isError ?? false }
  }

  async #fetch(address: string | URL, init?: RequestInit): Promise<Response> {
    const response = await fetch(address, init)
    const text = typeof init?.body === 'string' ? init.body : ''
    const isCall = text.includes('"method":"tools/call"') && !/"name":"(find|describe)_operation"/.test(text)
    if (!isCall || !this.#losesNextAnswer) return response
    this.#losesNextAnswer = false
    await response.arrayBuffer()
    throw new TypeError('The connection broke')
  }

  async #doBySearch(intent: string, name: string, args: Record<string, unknown>): Promise<Outcome> {
    if (!this.#described.has(name) && !this.#isGuided(name, args)) {
      const found = await this.callTool('find_operation', { query: intent })
      expect(found.text, `what is found for "${intent}"`).to.contain(name)
      await this.callTool('describe_operation', { name })
      this.#described.add(name)
    }
    return this.callTool('call_operation', { name, arguments: args })
  }

  /** Reads the guide at the address that the instructions name. */
  async #readGuide(): Promise<void> {
    const instructions = this.#client.getInstructions() ?? ''
    this.#countAnswer(instructions)
    const [uri = ''] = /tessera:\S+/.exec(instructions) ?? []
    this.#guide = (await this.#readAddress(uri)).text
  }

  /** Returns whether the guide names an operation, and each of the arguments. */
  #isGuided(name: string, args: Record<string, unknown>): boolean {
    return [name, ...Object.keys(args)].every((word) => new RegExp(`\\b${word}\\b`).test(this.#guide))
  }

  async #readResource(name: string, args: Record<string, unknown>): Promise<Outcome> {
    const templates = (this.#templates ??= await this.#listResources())
    const template = templates.get(name)
    if (template === undefined) throw new Error(`There is neither a tool nor a resource ${name}`)
    const outcome = await this.#readAddress(formatResourceUri(template, args))
    return outcome.isError ? outcome : { ...outcome, body: JSON.parse(outcome.text) as Json }
  }

  async #readAddress(uri: string): Promise<Outcome> {
    this.#countRequest({ uri })
    try {
      const { contents } = await this.#client.readResource({ uri })
      const text = contents.map((part) => ('text' in part ? part.text : '')).join('\n')
      this.#countAnswer(text)
      return { text, body: {} as Json, isError: false }
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause)
      this.#countAnswer(text)
      return { text, body: {} as Json, isError: true }
    }
  }

  async #listResources(): Promise<ReadonlyMap<string, string>> {
    const [{ resources }, { resourceTemplates }] = await Promise.all([
      this.#client.listResources(),
      this.#client.listResourceTemplates(),
    ])
    this.tally.listTokens += countTokens(JSON.stringify({ resources, resourceTemplates }))
    return new Map([
      ...resources.map(({ name, uri }) => [name, uri] as const),
      ...resourceTemplates.map(({ name, uriTemplate }) => [name, uriTemplate] as const),
    ])
  }

  #answerQuestion(message: string): ElicitResult {
    this.tally.questions++
    this.questions.push(message)
    return this.#options.answer?.(message) === false
      ? { action: 'decline' }
      : { action: 'accept', content: { confirm: true } }
  }

  #countRequest(request: object): void {
    this.tally.calls++
    this.tally.tokens += countTokens(JSON.stringify(request))
  }

  #countAnswer(text: string): void {
    this.tally.tokens += countTokens(text)
  }
}

/** Returns whether a text begins with the JSON of the structured content. */
function holdsStructure(text: string, structured: Json): boolean {
  const [first = ''] = text.split('\n', 1)
  try {
    return JSON.stringify(JSON.parse(first)) === JSON.stringify(structured)
  } catch {
    return false
  }
}
