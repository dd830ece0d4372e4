import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { platform } from '../support/platform.ts'

/** What a tool or a resource gives. */
export type Body = Record<string, unknown> & { id: string; jobId: string; status: string; url: string; token: string }

/** The official client, connected to the real bridge in front of the real core. */
export async function createAssistant(apiKey: string = platform.apiKey) {
  const client = new Client({ name: 'journey', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(platform.bridge), {
    requestInit: { headers: { 'X-Api-Key': apiKey } },
  })
  await client.connect(transport as unknown as Transport)
  const call = async (
    name: string,
    args: Record<string, unknown>,
    onprogress?: (progress: { progress: number; total?: number | undefined }) => void,
  ) => {
    const result = await client.callTool({ name, arguments: args }, undefined, {
      timeout: 90_000,
      ...(onprogress && { onprogress }),
    })
    return { result, body: (result['structuredContent'] ?? {}) as Body }
  }
  const read = async (uri: string) => {
    const [first] = (await client.readResource({ uri })).contents
    return JSON.parse(first && 'text' in first ? first.text : 'null') as { data: Body[] } & Body
  }
  return { client, call, read }
}
