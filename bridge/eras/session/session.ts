import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  ServerNotification,
  ServerRequest,
  ServerResult,
} from '@modelcontextprotocol/sdk/types.js'
import manifest from '../../../package.json' with { type: 'json' }
import type { Exchange } from '../../exchange.ts'
import type { Progress } from '../../follow-job.ts'
import { sessionDialect, type Call } from '../../methods/call.ts'
import type { Methods } from '../../methods/methods.ts'
import { codes, ProtocolError } from '../../protocol-error.ts'
import type { Kept } from '../../sessions.ts'
import { webRequest, writeWeb } from '../../web.ts'
import { asker } from './elicit.ts'
import type { Incoming } from '../era.ts'
import { instructions } from '../instructions.ts'
import type { OwnMessage, Questions } from './questions.ts'
import { errorMessage, resultMessage, writeMessage, type QuickRequest } from './quick.ts'
import { initializeOf, isOver, type SessionState } from './revive.ts'
import { fitting, fittingPrompt } from './revisions.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** What is so in every session. */
const always = { tasks: false, dialect: sessionDialect }

/** The HTTP request that a message came with. */
export type Asked = Pick<Incoming, 'exchange' | 'view'>

/** Building one takes long; all sessions share it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** What the sessions of a bridge have in common. */
export interface SessionParts {
  readonly methods: Methods
  readonly questions: Questions
  readonly ended: () => void
}

/** One session: a server of its own, and the requests that are open in it. */
export class Session implements Kept {
  readonly id: string
  readonly owner: string
  readonly state: SessionState
  /** By JSON-RPC id, which is unique among the open requests of a session. */
  readonly exchanges = new Map<RequestId, Asked>()
  open = 0
  /** Requests that are answered beside the SDK's server, by id. */
  readonly #quick = new Map<RequestId, Exchange>()
  readonly #transport: WebStandardStreamableHTTPServerTransport
  readonly #server: Server
  readonly #methods: Methods
  readonly #questions: Questions

  /** @param begun called when `initialize` was taken, before it is answered */
  constructor(id: string, owner: string, state: SessionState, parts: SessionParts, begun: (session: Session) => void) {
    this.id = id
    this.owner = owner
    this.state = state
    this.#methods = parts.methods
    this.#questions = parts.questions
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessioninitialized: () => begun(this),
    })
    this.#server = new Server(
      { name: manifest.name, version: manifest.version },
      { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, instructions, jsonSchemaValidator },
    )
    this.#server.onclose = () => {
      for (const exchange of this.#quick.values()) exchange.leave()
      parts.ended()
    }
    this.#server.fallbackRequestHandler = (request, extra) => this.#dispatch(request, extra)
  }

  get isOver(): boolean {
    return isOver(this.state)
  }

  async connect(): Promise<void> {
    // The transport declares its callbacks wider than the interface it implements.
    await this.#server.connect(this.#transport as Parameters<Server['connect']>[0])
  }

  /** Begins a session that another process began, or this one before it forgot it: the client notices nothing. */
  async revive(): Promise<void> {
    await this.connect()
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const request = new Request('http://bridge.invalid/mcp', { method: 'POST', headers })
    const answer = await this.#transport.handleRequest(request, { parsedBody: initializeOf(this.state) })
    if (answer.status !== 200) throw new Error(`A session could not be begun again: ${await answer.text()}`)
    // Its end says that the server knows its client now.
    await answer.text()
  }

  /** Has the SDK's transport answer. Resolves when the answer is written. */
  async handOn({ request, response }: Incoming, message: unknown): Promise<void> {
    await writeWeb(response, await this.#transport.handleRequest(webRequest(request), { parsedBody: message }))
  }

  /** Ends what is only listening. */
  endListening(): void {
    this.#transport.closeStandaloneSSEStream()
  }

  close(): void {
    void this.#server.close()
  }

  /** Answers without the SDK's server and transport, as they would. A cancelled request gets no answer. */
  async answerQuickly({ id, method, params }: QuickRequest, { response, exchange, view }: Incoming): Promise<void> {
    const { gone: signal } = exchange
    this.#quick.set(id, exchange)
    let message: string | null
    try {
      const { capabilities } = this.state
      const call = { exchange, view, signal, params, tell: null, ask: null, capabilities, ...always }
      message = resultMessage(id, await this.#answer(method, call))
    } catch (cause) {
      message = errorMessage(id, this.#methods.worded(cause, signal))
    } finally {
      this.#quick.delete(id)
      this.exchanges.delete(id)
    }
    writeMessage(response, this.id, signal.aborted ? null : message)
  }

  /** Ends a request that is answered beside the SDK's server. */
  cancelQuickly(request: RequestId): void {
    this.#quick.get(request)?.leave()
  }

  /** Ends a request that the client takes back at another process. */
  cancel(request: RequestId): void {
    this.cancelQuickly(request)
    const params = { requestId: request }
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  }

  /**
   * Every request but `initialize` and `ping`, as it came: the SDK's own schemas would turn a wrong argument into an
   * error of the protocol.
   */
  async #dispatch(request: JSONRPCRequest, extra: Extra): Promise<ServerResult> {
    const asked = this.exchanges.get(request.id)
    if (!asked) throw new ProtocolError(codes.invalidRequest, 'The request is no longer open')
    const signal = AbortSignal.any([asked.exchange.gone, extra.signal])
    const cancelled = () => this.#release(request.id)
    extra.signal.addEventListener('abort', cancelled, { once: true })
    try {
      const send = (message: OwnMessage) =>
        this.#transport.send(message as JSONRPCMessage, { relatedRequestId: request.id })
      const { revision, capabilities, name } = this.state
      const ask = asker(revision, capabilities, { questions: this.#questions, session: name, send, signal })
      const params = request.params ?? {}
      const call = { ...asked, signal, params, tell: teller(extra), ask, capabilities, ...always }
      return await this.#answer(request.method, call)
    } catch (cause) {
      throw this.#methods.worded(cause, signal)
    } finally {
      extra.signal.removeEventListener('abort', cancelled)
      if (this.exchanges.get(request.id) === asked) this.exchanges.delete(request.id)
    }
  }

  async #answer(method: string, call: Call): Promise<ServerResult> {
    switch (method) {
      case 'tools/list':
      case 'resources/list':
      case 'resources/templates/list':
      case 'prompts/list':
        return this.#methods.list(method, call) as ServerResult
      case 'tools/call':
        return fitting((await this.#methods.callTool(call)).result, this.state.revision) as ServerResult
      case 'resources/read':
        return (await this.#methods.readResource(call)) as ServerResult
      case 'prompts/get':
        return fittingPrompt(await this.#methods.getPrompt(call), this.state.revision) as unknown as ServerResult
      case 'completion/complete':
        return (await this.#methods.complete(call)) as unknown as ServerResult
      default:
        throw new ProtocolError(codes.methodNotFound, `The method ${method} is not known here`)
    }
  }

  /** A cancelled request gets no answer: its stream ends, and what the transport still holds for it is let go. */
  #release(id: RequestId): void {
    const asked = this.exchanges.get(id)
    // The stream of a batch carries the answers of others too.
    const alone = ![...this.exchanges].some(([other, one]) => other !== id && one === asked)
    if (alone) this.#transport.closeSSEStream(id)
    const error = { code: codes.server, message: 'The request was cancelled' }
    // It rejects because the stream is closed, after it let go.
    this.#transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }
}

function teller(extra: Extra): ((progress: Progress) => Promise<void>) | null {
  const progressToken = extra._meta?.progressToken
  if (progressToken === undefined) return null
  return (progress) =>
    extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } })
}
