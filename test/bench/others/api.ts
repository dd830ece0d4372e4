import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { toolsFile, upstream } from './arguments.ts'

/** The tools of the servers that are built with an SDK. A call does as little as possible and checks no arguments. */
export const tools = JSON.parse(readFileSync(toolsFile, 'utf8')) as { name: string; inputSchema: { type: 'object' } }[]

const pool = new Pool(upstream, { connections: 256 })

async function sendRequest(method: 'GET' | 'POST', path: string, key: string, body: string | null): Promise<string> {
  const headers = {
    'x-api-key': key,
    accept: 'application/json',
    ...(body !== null && { 'content-type': 'application/json' }),
  }
  const answer = await pool.request({ method, path, headers, body })
  return await answer.body.text()
}

/** Returns the result of one of the two tools that are called. */
export async function callTool(name: unknown, args: Readonly<Record<string, unknown>>, key: string) {
  const text =
    name === 'create_dpp_passport'
      ? await sendRequest('POST', '/v1/dpp/passports', key, JSON.stringify(args))
      : await sendRequest('GET', `/v1/dpp/passports/${encodeURIComponent(String(args['id']))}/magic-token`, key, null)
  const structuredContent = JSON.parse(text) as Record<string, unknown>
  return { content: [{ type: 'text' as const, text }], structuredContent }
}

export async function readResource(uri: string, key: string) {
  const text = await sendRequest('GET', new URL(uri).pathname, key, null)
  return { contents: [{ uri, mimeType: 'application/json', text }] }
}
