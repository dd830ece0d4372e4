import { readFileSync } from 'node:fs'
import { answerText } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'

/** Creates the operation that serves one of our own files for pages; the file is read once. */
const createAssetOperation = (name: string, type: string): Operation => {
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
  return declareOperation({
    id: `asset_${name.replace(/\W/g, '_')}_v1`,
    method: 'GET',
    path: `/assets/${name}`,
    access: 'public',
    returns: { 200: { type, description: 'The file.' } },
    transport: { page: true, isFile: true },
    document: { tag: 'Pages', summary: `The file ${name}` },
  }).withReadHandler(async () => answerText(body, type, { 'Cache-Control': 'public, max-age=3600' }))
}

export const assetOperations: Operation[] = [
  createAssetOperation('tessera.css', 'text/css; charset=utf-8'),
  createAssetOperation('tessera.svg', 'image/svg+xml'),
  createAssetOperation('imports.js', 'text/javascript; charset=utf-8'),
  createAssetOperation('branding.js', 'text/javascript; charset=utf-8'),
  createAssetOperation('campaigns.js', 'text/javascript; charset=utf-8'),
  createAssetOperation('demo.js', 'text/javascript; charset=utf-8'),
  createAssetOperation('copy.js', 'text/javascript; charset=utf-8'),
  createAssetOperation('reference.css', 'text/css; charset=utf-8'),
  createAssetOperation('reference.js', 'text/javascript; charset=utf-8'),
  createAssetOperation('times.js', 'text/javascript; charset=utf-8'),
]
