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
import type { ServerInfo } from '../../../tools/server-description.ts'
import type { RequestContext } from '../../api/request-context.ts'
import type { Progress } from '../../api/follow-job.ts'
import { sessionDialect, type MethodCall } from '../methods/method-call.ts'
import type { McpMethods } from '../methods/methods.ts'
import { codes, ProtocolError } from '../protocol-error.ts'
import type { StoredSession } from '../../shared/session-cache.ts'
import { toWebRequest, writeWebResponse } from '../web-requests.ts'
import { createElicitor } from './elicitor.ts'
import type { IncomingRequest } from '../era.ts'
import type { ServerMessage, PendingElicitations } from './pending-elicitations.ts'
import { formatErrorMessage, formatResultMessage, writeEvent, type DirectRequest } from './direct-requests.ts'
import { createInitializeRequest, isExpired, type SessionState } from './session-state.ts'
import { adaptToolResult, adaptPromptResult } from './revisions.ts'

type HandlerExtra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** The members of a call that are equal in every session. */
const sessionCallDefaults = { acceptsTasks: false, dialect: sessionDialect }

/** The HTTP request that a message came with. */
export type OpenRequest = Pick<IncomingRequest, 'context' | 'view'>

/** A shared validator, because building one takes long. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** The services that a session uses, and the callback for its end. */
export interface SessionOptions {
  readonly methods: McpMethods
  readonly pendingElicitations: PendingElicitations
  readonly onEnd: () => void
  /** The name and version in the answer to `initialize`: those of the document that is loaded then. */
  readonly serverInfo: ServerInfo
  /** The instructions of the answer to `initialize`, in the view that it was sent to. */
  readonly instructions: string
}

/** One session: a server of its own, and its open requests. */
export class Session implements StoredSession {
  readonly id: string
  readonly callerHash: string
  readonly state: SessionState
  /** The open requests by JSON-RPC id, which is unique among them. */
  readonly openRequests = new Map<RequestId, OpenRequest>()
  openRequestCount = 0
  /** The requests that are answered without the SDK's server, by id. */
  readonly #directRequests = new Map<RequestId, RequestContext>()
  readonly #transport: WebStandardStreamableHTTPServerTransport
  readonly #server: Server
  readonly #methods: McpMethods
  readonly #pendingElicitations: PendingElicitations

  /** @param onBegin called when `initialize` was accepted, before it is answered */
  constructor(
    id: string,
    callerHash: string,
    state: SessionState,
    options: SessionOptions,
    onBegin: (session: Session) => void,
  ) {
    this.id = id
    this.callerHash = callerHash
    this.state = state
    this.#methods = options.methods
    this.#pendingElicitations = options.pendingElicitations
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessioninitialized: () => onBegin(this),
    })
    this.#server = new Server(options.serverInfo, {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: options.instructions,
      jsonSchemaValidator,
    })
    this.#server.onclose = () => {
      for (const exchange of this.#directRequests.values()) exchange.cancel()
      options.onEnd()
    }
    this.#server.fallbackRequestHandler = (request, extra) => this.#answerRequest(request, extra)
  }

  get hasExpired(): boolean {
    return isExpired(this.state)
  }

  async connect(): Promise<void> {
    // The types of the transport's callbacks are wider than those of the interface it implements.
    await this.#server.connect(this.#transport as Parameters<Server['connect']>[0])
  }

  /** Revives a session that another process began, or that this process no longer has. The client notices nothing. */
  async revive(): Promise<void> {
    await this.connect()
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const request = new Request('http://bridge.invalid/mcp', { method: 'POST', headers })
    const answer = await this.#transport.handleRequest(request, { parsedBody: createInitializeRequest(this.state) })
    if (answer.status !== 200) throw new Error(`A session could not be begun again: ${await answer.text()}`)
    // Once the body has ended, the server knows its client.
    await answer.text()
  }

  /** Lets the SDK's transport answer a message. Resolves when the response is written. */
  async handleMessage({ request, response }: IncomingRequest, message: unknown): Promise<void> {
    await writeWebResponse(
      response,
      await this.#transport.handleRequest(toWebRequest(request), { parsedBody: message }),
    )
  }

  /** Ends the stream that only listens. */
  endListening(): void {
    this.#transport.closeStandaloneSSEStream()
  }

  close(): void {
    void this.#server.close()
  }

  /** Answers without the SDK's server and transport, in the same form. A cancelled request gets no answer. */
  async answerDirectly(
    { id, method, params }: DirectRequest,
    { response, context, view }: IncomingRequest,
  ): Promise<void> {
    const { cancelSignal: signal } = context
    this.#directRequests.set(id, context)
    let message: string | null
    try {
      const { capabilities } = this.state
      const call: MethodCall = {
        context,
        view,
        signal,
        params,
        notifyProgress: null,
        elicitInput: null,
        capabilities,
        ...sessionCallDefaults,
      }
      message = formatResultMessage(id, await this.#callMethod(method, call))
    } catch (cause) {
      message = formatErrorMessage(id, this.#methods.toProtocolError(cause, signal))
    } finally {
      this.#directRequests.delete(id)
      this.openRequests.delete(id)
    }
    writeEvent(response, this.id, signal.aborted ? null : message)
  }

  /** Cancels a request that is answered without the SDK's server. */
  cancelDirect(request: RequestId): void {
    this.#directRequests.get(request)?.cancel()
  }

  /** Cancels a request after the client cancelled it at another process. */
  cancel(request: RequestId): void {
    this.cancelDirect(request)
    const params = { requestId: request }
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  }

  /**
   * Answers every request except `initialize` and `ping`. It gets the raw request, because the SDK's own schemas would
   * turn a wrong argument into a protocol error.
   */
  async #answerRequest(request: JSONRPCRequest, extra: HandlerExtra): Promise<ServerResult> {
    const openRequest = this.openRequests.get(request.id)
    if (!openRequest) throw new ProtocolError(codes.invalidRequest, 'The request is no longer open')
    const signal = AbortSignal.any([openRequest.context.cancelSignal, extra.signal])
    const cancelled = () => this.#releaseRequest(request.id)
    extra.signal.addEventListener('abort', cancelled, { once: true })
    try {
      const send = (message: ServerMessage) =>
        this.#transport.send(message as JSONRPCMessage, { relatedRequestId: request.id })
      const { revision, capabilities, name } = this.state
      const elicitInput = createElicitor(revision, capabilities, {
        pendingElicitations: this.#pendingElicitations,
        session: name,
        send,
        signal,
      })
      const params = request.params ?? {}
      const call: MethodCall = {
        ...openRequest,
        signal,
        params,
        notifyProgress: createProgressNotifier(extra),
        elicitInput,
        capabilities,
        ...sessionCallDefaults,
      }
      return await this.#callMethod(request.method, call)
    } catch (cause) {
      throw this.#methods.toProtocolError(cause, signal)
    } finally {
      extra.signal.removeEventListener('abort', cancelled)
      if (this.openRequests.get(request.id) === openRequest) this.openRequests.delete(request.id)
    }
  }

  async #callMethod(method: string, call: MethodCall): Promise<ServerResult> {
    switch (method) {
      case 'tools/list':
      case 'resources/list':
      case 'resources/templates/list':
      case 'prompts/list':
        return this.#methods.getList(method, call) as ServerResult
      case 'tools/call':
        return adaptToolResult((await this.#methods.callTool(call)).result, this.state.revision) as ServerResult
      case 'resources/read':
        return (await this.#methods.readResource(call)) as ServerResult
      case 'prompts/get':
        return adaptPromptResult(await this.#methods.getPrompt(call), this.state.revision) as unknown as ServerResult
      case 'completion/complete':
        return (await this.#methods.completeArgument(call)) as unknown as ServerResult
      default:
        throw new ProtocolError(codes.methodNotFound, `The method ${method} is not known here`)
    }
  }

  /** Ends the stream of a cancelled request, which gets no answer, and frees what the transport holds for it. */
  #releaseRequest(id: RequestId): void {
    const openRequest = this.openRequests.get(id)
    // The stream of a batch also carries the answers to other requests.
    const isAlone = ![...this.openRequests].some(([other, one]) => other !== id && one === openRequest)
    if (isAlone) this.#transport.closeSSEStream(id)
    const error = { code: codes.server, message: 'The request was cancelled' }
    // `send` first frees the request and then rejects, because the stream is closed.
    this.#transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }
}

function createProgressNotifier(extra: HandlerExtra): ((progress: Progress) => Promise<void>) | null {
  const progressToken = extra._meta?.progressToken
  if (progressToken === undefined) return null
  return (progress) =>
    extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } })
}
