import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { toolsFile, upstream } from './arguments.ts'

/** What the servers that are built with an SDK do with a call: as little as can be, without any check of arguments. */
export const tools = JSON.parse(readFileSync(toolsFile, 'utf8')) as { name: string; inputSchema: { type: 'object' } }[]

const pool = new Pool(upstream, { connections: 256 })

async function ask(method: 'GET' | 'POST', path: string, key: string, body: string | null): Promise<string> {
  const headers = { 'x-api-key': key, 'accept': 'application/json', ...(body !== null && { 'content-type': 'application/json' }) }
  const answer = await pool.request({ method, path, headers, body })
  return await answer.body.text()
}

/** The result of one of the two tools that are called. */
export async function callTool(name: unknown, args: Readonly<Record<string, unknown>>, key: string) {
  const text =
    name === 'create_dpp_passport'
      ? await ask('POST', '/v1/dpp/passports', key, JSON.stringify(args))
      : await ask('GET', `/v1/dpp/passports/${encodeURIComponent(String(args['id']))}/magic-token`, key, null)
  const structuredContent = JSON.parse(text) as Record<string, unknown>
  return { content: [{ type: 'text' as const, text }], structuredContent }
}

export async function readResource(uri: string, key: string) {
  const text = await ask('GET', new URL(uri).pathname, key, null)
  return { contents: [{ uri, mimeType: 'application/json', text }] }
}
