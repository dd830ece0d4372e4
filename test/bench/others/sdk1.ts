import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { callTool, readResource, tools } from './api.ts'
import { port, announceReady } from './arguments.ts'

/**
 * The transports by session. As in the SDK's own documentation, each session has a low-level server and a transport.
 */
const sessions = new Map<string, StreamableHTTPServerTransport>()

async function startSession(): Promise<StreamableHTTPServerTransport> {
  const server = new Server({ name: 'sdk1', version: '1' }, { capabilities: { tools: {}, resources: {} } })
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  const getKey = (headers: Record<string, unknown> | undefined) => String(headers?.['x-api-key'] ?? '')
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo }) =>
    callTool(params.name, params.arguments ?? {}, getKey(requestInfo?.headers)),
  )
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { requestInfo }) =>
    readResource(params.uri, getKey(requestInfo?.headers)),
  )
  await server.connect(transport as Parameters<Server['connect']>[0])
  return transport
}

const findTransport = async ({ headers }: IncomingMessage) =>
  sessions.get(String(headers['mcp-session-id'])) ?? (await startSession())

createServer((request, response) => {
  void findTransport(request).then((transport) => transport.handleRequest(request, response))
}).listen(Number(port), '127.0.0.1', announceReady)
