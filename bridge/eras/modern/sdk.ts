import { createMcpHandler, Server, type McpHttpHandler, type ServerContext } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Progress } from '../../follow-job.ts'
import { ProtocolError } from '../../protocol-error.ts'
import { webRequest, writeWeb } from '../../web.ts'
import type { Incoming } from '../era.ts'
import { instructions } from '../instructions.ts'
import { serverInfo, statusOf, type Result } from './answer.ts'
import { capabilities, discoveryCached } from './discover.ts'

/**
 * Answers one request. Throws ProtocolError.
 * @param signal aborted when nobody waits for the answer any more
 * @param tell null where the client did not ask for progress
 */
export type Work = (method: string, signal: AbortSignal, tell: Tell | null) => Promise<Result>
export type Tell = (progress: Progress) => Promise<void>

/** What is known of a request while the SDK has it. `status`: of the error it ended in, null where it is the SDK's. */
interface Held {
  readonly work: Work
  status: number | null
}

/** Building one takes long; all servers share it. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** The SDK's handler: it judges what is not plainly right, and streams what is told before a result. */
export class SdkHandler {
  readonly #held = new WeakMap<Request, Held>()
  readonly #handler: McpHttpHandler = createMcpHandler(({ requestInfo }) => this.#serverFor(requestInfo), {
    legacy: 'reject',
  })

  async answer({ request, response, exchange, message }: Incoming, work: Work): Promise<void> {
    const asked = webRequest(request, exchange.gone)
    const held: Held = { work, status: null }
    this.#held.set(asked, held)
    const answer = await this.#handler.fetch(asked, { parsedBody: message })
    await writeWeb(response, answer, held.status ?? answer.status)
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.#handler.close()
  }

  /** The SDK takes one server a request. */
  #serverFor(request: Request | undefined): Server {
    const held = request && this.#held.get(request)
    const cacheHints = { 'server/discover': discoveryCached }
    const server = new Server(serverInfo, { capabilities, instructions, jsonSchemaValidator, cacheHints })
    server.fallbackRequestHandler = async ({ method }, { mcpReq }) => {
      if (!held) throw new Error('The SDK made a request of its own')
      try {
        return await held.work(method, mcpReq.signal, teller(mcpReq))
      } catch (cause) {
        if (cause instanceof ProtocolError && statusOf(cause.code) !== 200) held.status = statusOf(cause.code)
        throw cause
      }
    }
    return server
  }
}

function teller({ _meta: meta, notify }: ServerContext['mcpReq']) {
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return null
  return (progress: Progress) => notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
}
