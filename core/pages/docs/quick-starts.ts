import type { Context } from '../../kernel/work.ts'

type Addresses = Pick<Context['settings'], 'baseUrl' | 'mcpUrl'>

/** What stands in a command for the reader's key. */
const keyPlaceholder = 'YOUR_API_KEY'

/**
 * Formats the command that sends one request to the MCP server, complete in itself as revision 2026-07-28 has it.
 * @param name what is called or read; the headers name it too
 */
function formatMcpCommand(address: string, method: string, params: Record<string, unknown>, name?: string): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return `curl -sS "${address}" -H "X-Api-Key: $API_KEY" -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" -H "MCP-Protocol-Version: 2026-07-28" \\
  -H "Mcp-Method: ${method}"${name === undefined ? '' : ` -H "Mcp-Name: ${name}"`} \\
  -d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })}'`
}

const formatToolCommand = (address: string, name: string, given: object) =>
  formatMcpCommand(address, 'tools/call', { name, arguments: given }, name)

const formatDemoCommand = (address: string, given: object) =>
  formatMcpCommand(address, 'prompts/get', { name: demoPrompt, arguments: given }, demoPrompt)

const demoPrompt = 'prepare_demo_environment'
const guide = 'tessera://guide'

/**
 * Formats the quick starts in Markdown, with the addresses of this installation: one for each kind of reader. Each of
 * their commands runs as it stands once the key is put in.
 */
export const formatQuickStarts = ({ baseUrl, mcpUrl }: Addresses): string => `## Quick start: REST

For programs that call the API themselves. [Make a key](/console/keys/new?preset=everything) in the console: it is shown
once, and sent as \`X-Api-Key\` with every request. [openapi.json](/openapi.json) describes every operation and makes
typed clients.

\`\`\`sh
API=${baseUrl} API_KEY=${keyPlaceholder}
# Who may I work for?
curl -sS "$API/v1/applications" -H "X-Api-Key: $API_KEY"
# An application of your own. Repeated within 30 days with the same Idempotency-Key, the request gets the first answer.
curl -sS "$API/v1/applications" -H "X-Api-Key: $API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: first-application" -d '{"name": "First application"}'
# Your newest passport
curl -sS "$API/v1/dpp/passports?pageSize=1" -H "X-Api-Key: $API_KEY"
\`\`\`

## Quick start: AI assistants

For assistants that speak MCP over StreamableHTTP. [Make a key for the assistant](/console/keys/new?preset=passports): it
can do what the key may do, and nothing else. Then add the server to the settings of the assistant:

\`\`\`json
${JSON.stringify({ mcpServers: { tessera: { type: 'http', url: mcpUrl, headers: { 'X-Api-Key': keyPlaceholder } } } }, null, 2)}
\`\`\`

Now ask the assistant to read \`${guide}\` and to list your applications. These commands show what it sees: the tools of
the small view, with which it finds and calls every operation; an operation that it finds; and the guide.

\`\`\`sh
API_KEY=${keyPlaceholder}
${formatMcpCommand(`${mcpUrl}?view=search`, 'tools/list', {})}
${formatToolCommand(`${mcpUrl}?view=search`, 'find_operation', { query: 'list my applications' })}
${formatMcpCommand(mcpUrl, 'resources/read', { uri: guide }, guide)}
\`\`\`

## Quick start: a demo environment from a prompt

For teams that show a product before it exists. The key needs [every permission](/console/keys/new?preset=everything), and the
assistant is connected as above. Choose the prompt \`${demoPrompt}\` in the assistant with a \`scenario\`
(\`passport\` or \`loyalty\`) and a \`runId\` of your choice. The assistant gets a plan of exact calls on a test network: it fills an
application, checks it, and can take it away again. Running the same plan twice makes nothing new.

\`\`\`sh
API_KEY=${keyPlaceholder}
# The prompts there are, and what they ask for
${formatMcpCommand(mcpUrl, 'prompts/list', {})}
# The plan as the assistant gets it, and one that only says what would be called
${formatDemoCommand(mcpUrl, { scenario: 'passport', runId: 'first' })}
${formatDemoCommand(mcpUrl, { scenario: 'passport', runId: 'first', dryRun: 'true' })}
\`\`\`

Without an assistant, [the console](/console/demo) makes the same demo, shows each call with its answer, and takes the demo away.
`
