import { randomUUID } from 'node:crypto'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type {
  JSONRPCRequest,
  RequestId,
  ServerNotification,
  ServerRequest,
  ServerResult,
} from '@modelcontextprotocol/sdk/types.js'
import manifest from '../../../package.json' with { type: 'json' }
import type { Progress } from '../../follow-job.ts'
import { sessionDialect, type Call } from '../../methods/call.ts'
import type { Methods } from '../../methods/methods.ts'
import { codes, ProtocolError } from '../../protocol-error.ts'
import type { Kept } from '../../sessions.ts'
import { isRecord } from '../../../tools/openapi.ts'
import { asker } from './elicit.ts'
import type { Incoming } from '../era.ts'
import { instructions } from '../instructions.ts'
import { errorMessage, resultMessage, writeMessage, type QuickRequest } from './quick.ts'
import { fitting, type Revision } from './revisions.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** What is so in every session. */
const always = { tasks: false, capabilities: {}, dialect: sessionDialect }

/** The HTTP request that a message came with. */
export type Asked = Pick<Incoming, 'exchange' | 'view'>

/** Building one takes long; all sessions share it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** One session: a server of its own, and the requests that are open in it. */
export class Session implements Kept {
  readonly id = randomUUID()
  readonly owner: string
  readonly revision: Revision
  readonly transport: StreamableHTTPServerTransport
  /** By JSON-RPC id, which is unique among the open requests of a session. */
  readonly exchanges = new Map<RequestId, Asked>()
  open = 0
  /** Requests that are answered beside the SDK's server, by id. */
  readonly #quick = new Map<RequestId, AbortController>()
  readonly #server: Server
  readonly #methods: Methods

  constructor(
    owner: string,
    revision: Revision,
    methods: Methods,
    events: { begun: (session: Session) => void; ended: (session: Session) => void },
  ) {
    this.owner = owner
    this.revision = revision
    this.#methods = methods
    this.transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessioninitialized: () => events.begun(this),
    })
    this.#server = new Server(
      { name: manifest.name, version: manifest.version },
      { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, instructions, jsonSchemaValidator },
    )
    this.#server.onclose = () => {
      for (const ending of this.#quick.values()) ending.abort()
      events.ended(this)
    }
    this.#server.fallbackRequestHandler = (request, extra) => this.#dispatch(request, extra)
  }

  async connect(): Promise<void> {
    // The transport declares its callbacks wider than the interface it implements.
    await this.#server.connect(this.transport as Parameters<Server['connect']>[0])
  }

  close(): void {
    void this.#server.close()
  }

  /** Answers without the SDK's server and transport, as they would. A cancelled request gets no answer. */
  async answerQuickly({ id, method, params }: QuickRequest, { response, exchange, view }: Incoming): Promise<void> {
    const ending = new AbortController()
    const signal = AbortSignal.any([exchange.gone, ending.signal])
    this.#quick.set(id, ending)
    let message: string | null
    try {
      message = resultMessage(id, await this.#answer(method, { exchange, view, signal, params, tell: null, ask: null, ...always }))
    } catch (cause) {
      message = errorMessage(id, cause)
    } finally {
      this.#quick.delete(id)
      this.exchanges.delete(id)
    }
    writeMessage(response, this.id, signal.aborted ? null : message)
  }

  /** What a notification says of a request that is answered here. */
  cancelQuickly(message: unknown): void {
    if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || !isRecord(message['params'])) return
    this.#quick.get(message['params']['requestId'] as RequestId)?.abort()
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
      const ask = asker(this.revision, this.#server.getClientCapabilities(), { sendRequest: extra.sendRequest, signal })
      const params = request.params ?? {}
      return await this.#answer(request.method, { ...asked, signal, params, tell: teller(extra), ask, ...always })
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
        return fitting((await this.#methods.callTool(call)).result, this.revision) as ServerResult
      case 'resources/read':
        return (await this.#methods.readResource(call)) as ServerResult
      case 'prompts/get':
        return this.#methods.getPrompt(call) as unknown as ServerResult
      case 'completion/complete':
        return (await this.#methods.complete(call)) as unknown as ServerResult
      default:
        throw new ProtocolError(codes.methodNotFound, `The method ${method} is not known here`)
    }
  }

  /** A cancelled request gets no answer: its stream ends, and what the transport still holds for it is let go. */
  #release(id: RequestId): void {
    this.transport.closeSSEStream(id)
    const error = { code: codes.server, message: 'The request was cancelled' }
    // It rejects because the stream is closed, after it let go.
    this.transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }
}

function teller(extra: Extra): ((progress: Progress) => Promise<void>) | null {
  const progressToken = extra._meta?.progressToken
  if (progressToken === undefined) return null
  return (progress) =>
    extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } })
}
