import { createMcpHandler, Server, type McpHttpHandler, type ServerContext } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Progress } from '../../api/follow-job.ts'
import { ProtocolError } from '../protocol-error.ts'
import { toWebRequest, writeWebResponse } from '../web-requests.ts'
import type { IncomingRequest } from '../era.ts'
import { getHttpStatus, type Result } from './responses.ts'
import { serverCapabilities, type Discovery } from './discover.ts'

/**
 * Answers one request.
 * @param signal aborted when nobody waits for the answer any more
 * @param notifyProgress null if the client did not ask for progress
 * @throws ProtocolError
 */
export type MethodHandler = (
  method: string,
  signal: AbortSignal,
  notifyProgress: ProgressNotifier | null,
) => Promise<Result>
export type ProgressNotifier = (progress: Progress) => Promise<void>

/** A request while the SDK handles it. `status` is the HTTP status of our error; null leaves the status to the SDK. */
interface PendingRequest {
  readonly handleMethod: MethodHandler
  readonly discovery: Discovery
  status: number | null
}

/** A shared validator, because building one takes long. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** The SDK's handler. It checks the requests that are not plainly valid and streams progress before a result. */
export class SdkHandler {
  readonly #pendingRequests = new WeakMap<Request, PendingRequest>()
  readonly #handler: McpHttpHandler = createMcpHandler(({ requestInfo }) => this.#serverFor(requestInfo), {
    legacy: 'reject',
  })

  async answer(
    { request, response, context, message }: IncomingRequest,
    discovery: Discovery,
    handleMethod: MethodHandler,
  ): Promise<void> {
    const sdkRequest = toWebRequest(request, context.cancelSignal)
    const pendingRequest: PendingRequest = { handleMethod, discovery, status: null }
    this.#pendingRequests.set(sdkRequest, pendingRequest)
    const answer = await this.#handler.fetch(sdkRequest, { parsedBody: message })
    await writeWebResponse(response, answer, pendingRequest.status ?? answer.status)
  }

  /** Ends the requests in progress. */
  async close(): Promise<void> {
    await this.#handler.close()
  }

  /** Creates a server for one request, because the SDK needs one server per request. */
  #serverFor(request: Request | undefined): Server {
    const pendingRequest = request && this.#pendingRequests.get(request)
    if (!pendingRequest) throw new Error('The SDK made a request of its own')
    const { serverInfo, instructions, cacheHints } = pendingRequest.discovery
    const server = new Server(serverInfo, {
      capabilities: serverCapabilities,
      jsonSchemaValidator,
      instructions,
      cacheHints: { 'server/discover': cacheHints },
    })
    server.fallbackRequestHandler = async ({ method }, { mcpReq }) => {
      try {
        return await pendingRequest.handleMethod(method, mcpReq.signal, createProgressNotifier(mcpReq))
      } catch (cause) {
        if (cause instanceof ProtocolError && getHttpStatus(cause.code) !== 200)
          pendingRequest.status = getHttpStatus(cause.code)
        throw cause
      }
    }
    return server
  }
}

function createProgressNotifier({ _meta: meta, notify }: ServerContext['mcpReq']) {
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return null
  return (progress: Progress) => notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
}
