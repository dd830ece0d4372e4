import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { callTool, readResource, tools } from './api.ts'
import { port, announceReady } from './arguments.ts'

/** The SDK's handler for revision 2026-07-28, with a low-level server for each request. */
const handler = createMcpHandler(
  ({ requestInfo }) => {
    const key = requestInfo?.headers.get('x-api-key') ?? ''
    const server = new Server({ name: 'sdk2', version: '1' }, { capabilities: { tools: {}, resources: {} } })
    server.setRequestHandler('tools/list', () => ({ tools }))
    server.setRequestHandler('tools/call', ({ params }) => callTool(params.name, params.arguments ?? {}, key))
    server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri, key))
    return server
  },
  { legacy: 'reject' },
)

async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request)
  const headers = new Headers(request.headers as Record<string, string>)
  const web = new Request(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: '{}' })
  const handled = await handler.fetch(web, { parsedBody: JSON.parse(body.toString()) })
  const bytes = Buffer.from(await handled.arrayBuffer())
  response
    .writeHead(handled.status, { ...Object.fromEntries(handled.headers), 'content-length': bytes.length })
    .end(bytes)
}

createServer((request, response) => void answerRequest(request, response)).listen(
  Number(port),
  '127.0.0.1',
  announceReady,
)
