import * as found from '@ivotoby/openapi-mcp-server'
import { port, announceReady, upstream } from './arguments.ts'

/** The used part of the package. Its own declarations cannot be read with this module resolution. */
interface PackageModule {
  OpenAPIServer: new (config: Record<string, unknown>) => { start(transport: object): Promise<void> }
  StreamableHttpServerTransport: new (
    port: number,
    host: string,
    path: string,
    server: undefined,
    verbose: boolean,
  ) => object
}
const { OpenAPIServer, StreamableHttpServerTransport } = found as unknown as PackageModule

/**
 * Another bridge from OpenAPI to MCP, started as its own command line does, with the document and the address of the
 * API.
 */
const server = new OpenAPIServer({
  name: 'openapi-mcp-server',
  version: '1',
  apiBaseUrl: upstream,
  openApiSpec: `${upstream}/openapi.json`,
  specInputMethod: 'url',
  headers: { 'X-Api-Key': 'tsr_measured' },
  transportType: 'http',
  toolsMode: 'all',
  verbose: false,
})
await server.start(new StreamableHttpServerTransport(Number(port), '127.0.0.1', '/mcp', undefined, false))
announceReady()
