import { readFileSync } from 'node:fs'
import { text } from '../kernel/answer.ts'
import { operation, type Operation } from '../kernel/operation.ts'

/** Our own files for pages, read once. */
const asset = (name: string, type: string): Operation => {
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
  return operation({
    id: `asset_${name.replace(/\W/g, '_')}_v1`, method: 'GET', path: `/assets/${name}`, summary: `The file ${name}`, tag: 'Pages', access: 'public',
    page: true, returns: { 200: { type, description: 'The file.' } },
  }).readBy(async () => text(body, type, { 'Cache-Control': 'public, max-age=3600' }))
}

export const assetOperations: Operation[] = [
  asset('tessera.css', 'text/css; charset=utf-8'),
  asset('tessera.svg', 'image/svg+xml'),
  asset('imports.js', 'text/javascript; charset=utf-8'),
]
